import { ApiKeyRequest } from '../api-key/request.ts';
import { ApiKeyUsage } from '../api-key/usage.ts';
import { Secret } from '../api-key/secret.ts';
import { AuditEvent } from '../audit/event.ts';
import { AuditSeal, AuditWatermark } from '../audit/seal.ts';
import { CompanyMove } from '../company/moving.ts';
import { ErasedCompany } from '../company/company.ts';
import { ExternalId } from '../external-id/external-id.ts';
import { File, FormerPlace } from '../file/file.ts';
import { IDEMPOTENCY_TTL_HOURS, IdempotencyRecord } from '../idempotency-record/idempotency-record.ts';
import { ImportAnswers } from '../import/answers.ts';
import { IMPORT_RETENTION_DAYS, Import, ImportChunk, ImportError, UPLOAD_RETENTION_MINUTES } from '../import/import.ts';
import { ImportNote } from '../import/notes.ts';
import { ImportChange } from '../import/undo.ts';
import { INBOX_RETENTION_DAYS, InboxItem, InboxReader } from '../inbox/item.ts';
import { SummaryMail } from '../inbox/summary.ts';
import { Watch } from '../inbox/watching.ts';
import { PROOF_RETENTION_DAYS, Proof } from '../proof/proof.ts';
import { RewriteRequest } from '../rewrite/rewrite-request.ts';
import { SearchDocument, SearchReader } from '../search/document.ts';
import { SigningKey } from '../signing-key/signing-key.ts';
import { Sso, SsoDomain } from '../single-sign-on/sso.ts';
import { TaskLabel, TaskRequirement, TaskVendor } from '../task/task.ts';
import { TaskCount, TaskStatusDay } from '../task/status-history.ts';
import { DataVersion, ServiceProcess } from '../version/data-version.ts';
import { DELIVERY_RETENTION_DAYS, WebhookDelivery } from '../webhook/delivery.ts';
import { otherTable, personalTable } from './table.ts';

const IMPORTERS = 'members and keys with the permission to import';
const STATUSES = ['todo', 'in_progress', 'in_review', 'done', 'not_applicable', 'canceled'] as const;

/** Tables that the service writes about its work. */
export const RECORDS = [
  personalTable(
    AuditEvent,
    {
      identifier: ['user', 'resourceId'],
      activity: ['occurredAt'],
      content: ['changes'],
      none: [
        ...(['company', 'id', 'uniqueId', 'apiKey', 'action', 'resourceType', 'parentType', 'parentId'] as const),
        ...(['frameworkId', 'requestId', 'userKind'] as const),
      ],
    },
    { kept: 'until `company erase`', seenBy: 'members and keys with `audit:read`', erasedBy: [] },
  ),
  personalTable(
    IdempotencyRecord,
    {
      identifier: ['caller'],
      content: ['body'],
      none: ['company', 'keyHash', 'fingerprint', 'status', 'headers', 'createdAt'],
    },
    { kept: `${IDEMPOTENCY_TTL_HOURS} hours`, seenBy: 'the caller', erasedBy: ['forget'] },
  ),
  personalTable(
    Import,
    {
      identifier: ['createdBy'],
      address: ['address'],
      content: ['reason', 'layout'],
      none: [
        ...(['company', 'uniqueId', 'kind', 'framework', 'format', 'source', 'mode', 'dryRun', 'strict'] as const),
        ...(['dates', 'lenient', 'duplicates', 'undoOf', 'skipped', 'warnings', 'deleted'] as const),
        ...(['state', 'phase', 'bytes', 'position', 'line', 'rowsRead', 'rows', 'created', 'updated'] as const),
        ...(['unchanged', 'failed', 'apiKey', 'requestId', 'createdAt', 'queuedAt', 'startedAt', 'endedAt'] as const),
      ],
    },
    { kept: `${IMPORT_RETENTION_DAYS} days after its end`, seenBy: IMPORTERS, erasedBy: [] },
  ),
  personalTable(
    ImportChunk,
    { content: ['bytes'], none: ['company', 'import', 'index'] },
    {
      kept: `until the import ends; of an upload that did not end ${UPLOAD_RETENTION_MINUTES} minutes`,
      seenBy: 'nobody',
      erasedBy: [],
    },
  ),
  personalTable(
    ImportError,
    { content: ['value', 'error'], none: ['company', 'import', 'row', 'line', 'field'] },
    { kept: `${IMPORT_RETENTION_DAYS} days after the end of the import`, seenBy: IMPORTERS, erasedBy: [] },
  ),
  personalTable(
    ImportNote,
    { content: ['value', 'reason'], none: ['company', 'import', 'kind', 'row', 'number', 'line', 'field'] },
    { kept: `${IMPORT_RETENTION_DAYS} days after the end of the import`, seenBy: IMPORTERS, erasedBy: [] },
  ),
  personalTable(
    ImportAnswers,
    { identifier: ['member'], content: ['answers'], none: ['company'] },
    { kept: 'until the member removes them', seenBy: 'the member', erasedBy: ['person', 'forget'] },
  ),
  personalTable(
    InboxItem,
    {
      identifier: ['member', 'actorId'],
      activity: ['at', 'reason', 'readAt', 'toMail'],
      none: ['company', 'id', 'uniqueId', 'resourceType', 'resourceId', 'eventId', 'occasion'],
    },
    { kept: `${INBOX_RETENTION_DAYS} days`, seenBy: 'the member', erasedBy: ['forget'] },
  ),
  personalTable(
    Watch,
    { identifier: ['member'], activity: ['watching'], none: ['company', 'uniqueId', 'task', 'vendor', 'requirement'] },
    { kept: 'with the task, vendor or requirement', seenBy: 'the member', erasedBy: ['person', 'forget'] },
  ),
  personalTable(
    SummaryMail,
    { identifier: ['member'], activity: ['day', 'attempts', 'nextAttemptAt', 'createdAt'], none: ['company'] },
    { kept: 'until the mail is sent, at most a day', seenBy: 'nobody', erasedBy: [] },
  ),
  personalTable(
    WebhookDelivery,
    {
      content: ['testEvent'],
      none: [
        ...(['company', 'id', 'webhook', 'messageId', 'sequence', 'type', 'eventId', 'attempts'] as const),
        ...(['lastStatus', 'lastError', 'nextAttemptAt', 'createdAt'] as const),
      ],
    },
    { kept: `${DELIVERY_RETENTION_DAYS} days`, seenBy: 'admins, auditors, keys with `webhook:manage`', erasedBy: [] },
  ),
  personalTable(
    Proof,
    {
      identifier: ['createdBy'],
      none: [
        ...(['company', 'uniqueId', 'periodStart', 'asOf', 'frameworks', 'evidence', 'createdAt', 'state'] as const),
        ...(['attempts', 'startedAt', 'progress', 'leaseUntil', 'endedAt', 'reason', 'file', 'size'] as const),
        ...(['sha256', 'sequence', 'hash', 'deletedAt'] as const),
      ],
    },
    {
      kept: `${PROOF_RETENTION_DAYS} days after its end; its ZIP has names, emails and content, and is a file`,
      seenBy: 'admins, auditors, keys that may create proofs',
      erasedBy: ['company'],
    },
  ),
  otherTable(ApiKeyRequest, {
    none: [
      ...(['company', 'apiKey', 'at', 'uniqueId', 'method', 'path', 'status', 'code', 'requestId'] as const),
      'durationMs',
    ],
  }),
  otherTable(ApiKeyUsage, { none: ['company', 'apiKey', 'day', 'requests', 'errors', 'rateLimited'] }),
  otherTable(Secret, { none: ['name', 'value'] }),
  otherTable(AuditSeal, { none: ['company', 'seq', 'eventId', 'hash'] }),
  otherTable(AuditWatermark, { none: ['company', 'watermark', 'candidate', 'candidateXid', 'vendors', 'vendorsSeq'] }),
  otherTable(CompanyMove, {
    none: ['id', 'direction', 'move', 'state', 'peer', 'beganAt', 'changedAt', 'sequence', 'hash'],
  }),
  otherTable(ErasedCompany, { none: ['id', 'erasedAt', 'sequence', 'hash'] }),
  otherTable(ExternalId, {
    none: ['company', 'resourceType', 'frameworkId', 'source', 'externalId', 'resourceId'],
  }),
  otherTable(File, {
    none: [
      ...(['company', 'uniqueId', 'store', 'place', 'state', 'sha256', 'size', 'uses'] as const),
      ...(['touchedAt', 'largeSize', 'purpose'] as const),
    ],
  }),
  otherTable(ImportChange, {
    none: ['company', 'import', 'uniqueId', 'row', 'line', 'versionBefore', 'version', 'changes'],
  }),
  otherTable(FormerPlace, { none: ['place'] }),
  otherTable(InboxReader, { none: ['company', 'position', 'skipUntilId', 'remindedOn'] }),
  personalTable(
    SearchDocument,
    {
      content: ['words'],
      activity: ['changedAt'],
      identifier: ['objectId'],
      none: ['company', 'type', 'frameworkId', 'scope'],
    },
    { kept: 'with what it is about, a few seconds longer', seenBy: 'nobody', erasedBy: ['forget'] },
  ),
  otherTable(SearchReader, { none: ['company', 'position', 'building', 'builtId', 'leaseUntil'] }),
  otherTable(SigningKey, { none: ['keyId', 'publicKey', 'createdAt'] }),
  otherTable(Sso, {
    none: [
      ...(['company', 'issuer', 'clientId', 'clientSecret', 'secretChangedAt', 'domains', 'confirmedDomains'] as const),
      ...(['required', 'role', 'trustEmail'] as const),
    ],
  }),
  otherTable(SsoDomain, { none: ['company', 'domain'] }),
  personalTable(
    TaskLabel,
    { content: ['label'], none: ['company', 'framework', 'task'] },
    { kept: 'with the task', seenBy: 'nobody', erasedBy: [] },
  ),
  otherTable(TaskVendor, { none: ['company', 'vendor', 'task'] }),
  otherTable(TaskRequirement, { none: ['company', 'requirement', 'task'] }),
  otherTable(TaskCount, { none: ['company', 'framework', 'slot', 'tasks', ...STATUSES] }),
  otherTable(TaskStatusDay, { none: ['company', 'framework', 'day', ...STATUSES] }),
  otherTable(RewriteRequest, { none: ['scope'] }),
  otherTable(DataVersion, { none: ['name', 'data', 'oldest'] }),
  otherTable(ServiceProcess, { none: ['uniqueId', 'version', 'seenAt'] }),
];
