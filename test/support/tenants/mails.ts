import type { SMTPServerOptions } from 'smtp-server';
import { expect } from 'vitest';
import { Session } from '../../../database/session.ts';
import { mailing } from '../../../procedures/mail/send-inbox-mails.ts';
import { sendingQueued } from '../../../procedures/mail/send-queued-mails.ts';
import type { Encryption } from '../../../procedures/core/encryption.ts';
import type { TryMail } from '../../../procedures/core/services.ts';
import { createMailer } from '../../../server/mail/mailer.ts';
import { database, sql } from '../database/database.ts';
import { decodeMail, startMailServer } from '../servers/mail-server.ts';
import type { TestCompany } from './company.ts';
import { services } from './member.ts';
import type { TestMember } from './member.ts';

export const APP_URL = 'https://compliance.example.com';
const MINUTE_MS = 60_000;

interface MailingOptions extends SMTPServerOptions {
  /** Wraps an attempt to send a mail. */
  around?: (send: TryMail) => TryMail;
  /** Keys of the process; by default those of `services`. */
  encryption?: Encryption | undefined;
}

/** Starts a mail server, and returns a process that sends mails, whose clock only `later` moves. Mails of earlier tests are gone. */
export async function startMailing({
  around = (send) => send,
  encryption = services.encryption,
  ...options
}: MailingOptions = {}) {
  await sql('update inbox_item set to_mail = false where to_mail');
  await sql('delete from summary_mail');
  await sql('delete from queued_mail');
  const server = await startMailServer(options);
  const lines: unknown[][] = [];
  const mailer = createMailer(
    server.url,
    { name: 'Compliance', address: 'noreply@example.com' },
    {
      warn: (...line: unknown[]) => void lines.push(line),
    },
  );
  let time = Date.now();
  const now = () => new Date(time);
  const session = new Session(database, null, 'test');
  const context = () => ({
    database,
    session,
    encryption,
    mail: { send: around(mailer.tryMail), appUrl: () => APP_URL },
    now,
    warn: (error: unknown, line: string) => void lines.push([error, line]),
    signal: new AbortController().signal,
  });
  return {
    server,
    /** Log lines. */
    lines,
    now,
    /** Moves the clock. */
    later: (minutes: number) => void (time += minutes * MINUTE_MS),
    /** Sends all items and summaries that are due. */
    run: () => mailing.run(session, context()),
    /** Sends all queued mails that are due. */
    runQueued: () => sendingQueued.run(session, context()),
    /** Mails that the server received since the last call, decoded. */
    take: () => server.received.splice(0).map(decodeMail),
  };
}

interface NewItems {
  reason?: string;
  type?: string;
  resource: string;
  actor: string | null;
  at: Date;
  count?: number;
  read?: boolean;
}

/** Adds items to mail to the inbox of a member. */
export async function addItems(
  company: Pick<TestCompany, 'id'>,
  member: Pick<TestMember, 'uniqueId'>,
  { reason = 'assigned', type = 'task', resource, actor, at, count = 1, read = false }: NewItems,
): Promise<void> {
  await sql(
    `insert into inbox_item (company_id, member_id, unique_id, at, reason, resource_type, resource_id, actor_id, occasion, read_at, to_mail)
    select $1::int, $2::uuid, gen_random_uuid(), $3::timestamptz, $4, $5, $6::uuid, $7::uuid, left(gen_random_uuid()::text, 40),
      case when $8::boolean then $3::timestamptz end, true from generate_series(1, $9::int)`,
    company.id,
    member.uniqueId,
    at.toISOString(),
    reason,
    type,
    resource,
    actor,
    read,
    count,
  );
}

/** Number of items of a member that wait for a mail. */
export async function waitingItems({ uniqueId }: Pick<TestMember, 'uniqueId'>): Promise<number> {
  const [row] = await sql<{ count: number }>(
    'select count(*)::int as count from inbox_item where member_id = $1 and to_mail and read_at is null',
    uniqueId,
  );
  return row?.count ?? 0;
}

/** Sets the person of a member in the database. */
export const setPerson = ({ person }: Pick<TestMember, 'person'>, set: string): Promise<unknown> =>
  sql(`update person set ${set} where unique_id = $1`, person);

/** Checks that no part of a mail has remote content, scripts or another charset. */
export function expectPlainHtml(html: string): void {
  expect(html).not.toMatch(/<(?:img|script|link|iframe|object|form)\b|\bsrc=|url\(|@import/i);
  expect(html).toContain('<meta name="color-scheme" content="light dark">');
  expect(html).toContain('@media (prefers-color-scheme: dark)');
}
