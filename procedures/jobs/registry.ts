import { deleteOldRequests } from '../../entities/api-key/request.ts';
import { deleteOldUsage } from '../../entities/api-key/usage.ts';
import { deleteExpiredRecords } from '../../entities/idempotency-record/idempotency-record.ts';
import { deleteOldItems } from '../../entities/inbox/items.ts';
import { deleteOldImports } from '../../entities/import/progress.ts';
import { deleteOldMails } from '../../entities/mail/queued-mail.ts';
import { deleteOldInvitations } from '../../entities/member/invitation.ts';
import { deleteOldProofs } from '../../entities/proof/making.ts';
import { deleteExpiredSignIns } from '../../entities/sign-in/statements.ts';
import { deleteOldTaskHistory, recordTaskHistory } from '../../entities/task/status-history.ts';
import { deleteOldDeliveries } from '../../entities/webhook/delivery-statements.ts';
import { findOldestFreeze, listMovedCompanies } from '../../entities/company/closing.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { sealing, sealingChanges } from '../audit/sealing.ts';
import { recordingKey } from '../audit/signing-key.ts';
import { filePlaces } from '../evidence/places.ts';
import { fileRemoval } from '../evidence/removal.ts';
import { importing } from '../import/job.ts';
import { fanOut, reminders } from '../inbox/jobs.ts';
import { mailing } from '../mail/send-inbox-mails.ts';
import { sendingQueued } from '../mail/send-queued-mails.ts';
import { endingMemberships } from '../member/guests.ts';
import { recordIdentities } from '../member/identity.ts';
import { proving } from '../proof/job.ts';
import { indexing } from '../search/job.ts';
import { taskClosings } from '../task/closing.ts';
import { endedWebhooks, sending, sendingCheckpoints } from '../webhook/jobs.ts';
import type { Job, RetentionJob, IntervalJob } from './job.ts';

/** Stores the present numbers of tasks for today's date. Several processes on one database store the same numbers. */
export const taskHistory: IntervalJob = {
  kind: 'interval',
  name: 'record-task-history',
  failure: 'task history: recording failed',
  intervalMs: 900_000,
  run: (session) => session.one(recordTaskHistory, {}),
};

/** Logs each day which companies were moved away and are not erased, because members who are forgotten in the other cell are still here. */
const movedCompanies: IntervalJob = {
  kind: 'interval',
  name: 'report-moved-companies',
  failure: 'company: listing those that were moved away failed',
  intervalMs: 86_400_000,
  gauges: [
    {
      name: 'company_oldest_freeze_seconds',
      help: 'Age of the oldest freeze of a company that was not moved away; 0 without one, NaN if the query fails',
      statement: findOldestFreeze,
      columns: ['seconds'],
    },
  ],
  run: async (session, { report }) => {
    for (const { since, ...moved } of await session.run(listMovedCompanies, {}))
      report?.({ ...moved, since: toIso(since) }, 'company: was moved away and is not erased');
  },
};

const MINUTE_MS = 60_000;

/** Every job on the database. A new one is a definition with its handler in the folder of its resource, and an entry here. */
export const JOBS: readonly Job[] = [
  sealing,
  sealingChanges,
  importing,
  proving,
  fileRemoval,
  filePlaces,
  sending,
  endedWebhooks,
  sendingCheckpoints,
  recordingKey,
  fanOut,
  indexing,
  reminders,
  mailing,
  sendingQueued,
  recordIdentities,
  endingMemberships,
  taskHistory,
  taskClosings,
  movedCompanies,
  retention('idempotency records', deleteExpiredRecords, MINUTE_MS),
  retention('sign-ins', deleteExpiredSignIns, 10 * MINUTE_MS),
  retention('invitations', deleteOldInvitations, 10 * MINUTE_MS, 'old invitations'),
  retention('API key requests', deleteOldRequests, MINUTE_MS),
  retention('API key usage', deleteOldUsage, 10 * MINUTE_MS),
  retention('webhook', deleteOldDeliveries, 10 * MINUTE_MS),
  retention('inbox', deleteOldItems, 10 * MINUTE_MS, 'old items'),
  retention('mail', deleteOldMails, 10 * MINUTE_MS, 'old mails'),
  retention('import', deleteOldImports, MINUTE_MS, 'old imports'),
  retention('proof', deleteOldProofs, 10 * MINUTE_MS, 'old proofs'),
  retention('task history', deleteOldTaskHistory, 15 * MINUTE_MS),
];

/**
 * Defines a retention job. A row without use may stay stored for an interval more.
 * @param subject subject of its log lines
 */
function retention(
  subject: string,
  statement: RetentionJob['statement'],
  intervalMs: number,
  rows = 'expired rows',
): RetentionJob {
  const failure = `${subject}: deleting ${rows} failed`;
  return { kind: 'retention', name: statement.name, failure, statement, intervalMs, startsIdle: true };
}
