import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** Kinds of mails that a person turns on and off: items of the inbox by the switch of their reason, and the summary of the day. */
export const MAIL_KINDS = ['assigned', 'mentioned', 'commented', 'summary'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** Kinds that a person has turned on or off. */
type Notifications = Record<MailKind, boolean>;

interface NotificationsRow extends Notifications {
  refusedAt: string | null;
}

const COLUMNS = `${MAIL_KINDS.map((kind) => `mail_${kind} as ${kind}`).join(', ')}, mail_refused_at as "refusedAt"`;

/** SQL of an array of the kinds that are on for the person `p`. */
export const KINDS_OF_PERSON = `array_remove(array[${MAIL_KINDS.map((kind) => `case when p.mail_${kind} then '${kind}' end`).join(', ')}], null)`;

export const findNotifications = readStatement<{ person: string }, NotificationsRow>(
  'person.notifications',
  ({ person }) => `select ${COLUMNS} from person where unique_id = ${person}`,
  'all companies',
);

/** Changes what comes by mail; null keeps a kind. A mailbox that rejected mails is tried again. */
export const updateNotifications = defineStatement<
  { person: string } & Record<MailKind, boolean | null>,
  NotificationsRow
>(
  'person.update-notifications',
  (given) => `update person set mail_refused_at = null,
    ${MAIL_KINDS.map((kind) => `mail_${kind} = coalesce(${given[kind]}::boolean, mail_${kind})`).join(', ')}
  where unique_id = ${given.person} returning ${COLUMNS}`,
  'all companies',
);

/** Turns kinds off. No row if there is no such person. */
export const turnOffMails = defineStatement<{ person: string; kinds: readonly MailKind[] }, { unique_id: string }>(
  'person.turn-off-mails',
  ({ person, kinds }) => `update person set
    ${MAIL_KINDS.map((kind) => `mail_${kind} = mail_${kind} and not ('${kind}' = any(${kinds}::text[]))`).join(', ')}
  where unique_id = ${person}::uuid returning unique_id`,
  'all companies',
);

/** Records that the mailbox of a person rejects mails. */
export const rejectMails = defineStatement<{ person: string; now: string }, never>(
  'person.reject-mails',
  ({ person, now }) => `update person set mail_refused_at = ${now}::timestamptz where unique_id = ${person}::uuid`,
  'all companies',
);

/** Sends mails again to a person whose mailbox rejected one. */
export const resumeMails = defineStatement<{ person: string }, never>(
  'person.resume-mails',
  ({ person }) =>
    `update person set mail_refused_at = null where unique_id = ${person}::uuid and mail_refused_at is not null`,
  'all companies',
);
