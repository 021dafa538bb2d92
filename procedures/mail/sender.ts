import { newUniqueId } from '../../entities/ids.ts';
import { isAddressFull, recordSentMail } from '../../entities/mail/queued-mail.ts';
import type { QueuedMailKind } from '../../entities/mail/queued-mail.ts';
import type { Session } from '../../database/session.ts';
import type { MailOutcome } from '../core/services.ts';
import type { MailServices } from '../jobs/job.ts';

/** Maximum number of mails that a job sends at a time. */
export const BATCH_SIZE = 5;

/** What the senders need for mails that are made when they are sent. */
export interface Sender {
  session: Session<null>;
  mail: MailServices;
  /** Signs the links that turn mails off. */
  secret: Buffer;
  now: () => Date;
}

interface Work<Claimed> {
  signal: AbortSignal;
  warn: (error: unknown, line: string) => void;
  /** Takes mails for the time of a lease. */
  claim: () => Promise<Claimed[]>;
  send: (claimed: Claimed) => Promise<void>;
}

/** Sends mails in batches, until none is due. A mail that fails on our side is tried again when its lease ends. */
export async function sendAll<Claimed>({ signal, warn, claim, send }: Work<Claimed>): Promise<void> {
  while (!signal.aborted) {
    const claimed = await claim();
    if (claimed.length === 0) return;
    await Promise.all(
      claimed.map((one) => send(one).catch((error: unknown) => warn(error, 'mail: failed on our side'))),
    );
  }
}

/**
 * Sends a mail that is made when it is sent, unless the address is not proven and has had as many mails as it may: whoever invited a
 * stranger could otherwise flood the mailbox by work in the company.
 * @returns undefined for a mail that is left out
 */
export async function sendLimited(
  { session, now }: Pick<Sender, 'session' | 'now'>,
  { person, email }: { person: string; email: string },
  kind: QueuedMailKind,
  send: () => Promise<MailOutcome>,
): Promise<MailOutcome | undefined> {
  if ((await session.one(isAddressFull, { email, now: now().toISOString() })).isFull) return undefined;
  const outcome = await send();
  if (outcome.result === 'sent')
    await session.run(recordSentMail, { uniqueId: newUniqueId(), kind, email, person, now: now().toISOString() });
  return outcome;
}

/** Mails of this process, by result: attempts that succeeded or are repeated, and mails that are not tried again. */
export const mailResults = { sent: 0, deferred: 0, failed: 0 };

const MINUTE_MS = 60_000;
/** Minutes for which items are collected in one mail. Contract, section 18. */
const COLLECT_MINUTES = 2;
const MAX_PAUSE_MINUTES = 60;
/** Minutes for which a mail is tried. */
export const MAX_MINUTES = 24 * 60;

const minutesBefore = (now: Date, minutes: number): string =>
  new Date(now.getTime() - minutes * MINUTE_MS).toISOString();

/** Items up to this time have waited long enough. */
export const collectedUntil = (now: Date): string => minutesBefore(now, COLLECT_MINUTES);

/** Mails up to this time are not tried again after another failure. */
export const givenUpUntil = (now: Date): string => minutesBefore(now, MAX_MINUTES);

/** Time of the next attempt: after 1, 2, 4, … minutes, at most an hour. @param attempts number of attempts so far */
export const nextAttemptAt = (now: Date, attempts: number): string =>
  minutesBefore(now, -Math.min(2 ** (attempts - 1), MAX_PAUSE_MINUTES));
