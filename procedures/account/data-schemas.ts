import { z } from 'zod';
import { timestampOutput, uniqueIdOutput } from '../../entities/fields/schemas.ts';
import { ROLES } from '../../entities/member/role.ts';
import { QUEUED_MAIL_KINDS } from '../../entities/mail/queued-mail.ts';
import { MAX_DATA_ROWS } from '../../entities/person/data.ts';
import { SIGN_IN_EVENTS, SIGN_IN_METHODS } from '../../entities/sign-in/sign-in.ts';
import { VIEW_PAGES } from '../../entities/view/view.ts';
import { NotificationsOutput, PasskeyOutput, SessionOutput } from './schemas.ts';

const company = z.strictObject({ id: z.int(), name: z.string() });
const access = { role: z.enum(ROLES), frameworks: z.array(z.int()).nullable() };
const count = (description: string) => z.int().min(0).meta({ description });

/** The newest rows of one kind, and the number of all. */
const newest = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    total: count('Number of all rows that are stored'),
    items: z.array(item).meta({ description: `The newest ${MAX_DATA_ROWS}, the newest first` }),
  });

const Membership = z.strictObject({
  company,
  uniqueId: uniqueIdOutput.meta({ description: 'uniqueId of the member' }),
  ...access,
  joinedAt: timestampOutput,
  endedAt: timestampOutput.nullable(),
  singleSignOn: z
    .strictObject({ issuer: z.string(), subject: z.string() })
    .nullable()
    .meta({ description: 'Account of the identity provider to which the member is linked' }),
  changed: z
    .array(z.strictObject({ change: z.string(), at: timestampOutput }))
    .meta({ description: 'Last change of each kind of the account that the company has recorded' }),
  made: z.strictObject({
    task: count('Tasks that the member created, with those that were deleted since'),
    vendor: count('Vendors that the member created, with those that were deleted since'),
    comment: count('Comments that the member wrote, with those that were deleted since'),
    evidence: count('Evidence that the member added, with what was deleted since'),
    import: count('Imports that the member started'),
    event: count('Events of the audit log whose actor is the member'),
  }),
  views: z.array(
    z.strictObject({
      uniqueId: uniqueIdOutput,
      name: z.string(),
      page: z.enum(VIEW_PAGES),
      query: z.string(),
      shared: z.boolean(),
    }),
  ),
  watches: count('Tasks and vendors for which the member chose to watch them, or not to'),
  inboxItems: count('Items in the inbox'),
});

const IdentityRecord = z.strictObject({
  company: z.int().meta({ description: 'Id of the company' }),
  identity: z.string().meta({ description: 'SHA-256 in the event, of salt, line feed, name, line feed, email' }),
  salt: z.string(),
  name: z.string(),
  email: z.string(),
  sequence: z.int().nullable().meta({ description: 'Number of the seal of the event; null until it is sealed' }),
  event: z.strictObject({ uniqueId: uniqueIdOutput, occurredAt: timestampOutput }),
});

const SignInEntry = z.strictObject({
  company: z.int().meta({ description: 'Id of the company' }),
  at: timestampOutput,
  event: z.enum(SIGN_IN_EVENTS),
  method: z.enum(SIGN_IN_METHODS),
  address: z.string().nullable(),
  userAgent: z.string(),
});

const Invitation = z.strictObject({
  company,
  uniqueId: uniqueIdOutput,
  email: z.string(),
  ...access,
  createdAt: timestampOutput,
  expiresAt: timestampOutput,
  usedAt: timestampOutput.nullable(),
  revokedAt: timestampOutput.nullable(),
});

const Credentials = z.strictObject({
  password: z.boolean().meta({ description: 'True if the account has a password' }),
  totp: z.boolean().meta({ description: 'True if a sign-in with the password needs a code' }),
  recoveryCodes: count('Recovery codes that are left'),
  passkeys: z.array(PasskeyOutput),
});

/** Everything that is stored about a person, without secrets and hashes. */
export const AccountData = z.strictObject({
  profile: z.strictObject({
    uniqueId: uniqueIdOutput,
    email: z.string(),
    name: z.string(),
    createdAt: timestampOutput,
    provenAt: timestampOutput
      .nullable()
      .meta({ description: 'Time since which the address is known to belong to the person' }),
    newEmail: z
      .strictObject({ email: z.string(), expiresAt: timestampOutput })
      .nullable()
      .meta({ description: 'Address to which a link waits; null without one, and in a session of single sign-on' }),
  }),
  mails: z
    .array(z.strictObject({ kind: z.enum(QUEUED_MAIL_KINDS), at: timestampOutput }))
    .meta({ description: 'Mails that wait, and those of the last day; empty in a session of single sign-on' }),
  credentials: Credentials.nullable().meta({ description: 'Null in a session of single sign-on' }),
  settings: z.strictObject({
    notifications: NotificationsOutput.omit({ refusedAt: true }),
    mailRefusedAt: timestampOutput
      .nullable()
      .meta({ description: 'Time at which the mailbox rejected mails permanently; null if it takes them' }),
    lastCompany: z.int().nullable().meta({ description: 'Company for which the next sign-in acts' }),
  }),
  memberships: z.array(Membership),
  identities: newest(IdentityRecord),
  sessions: z.array(SessionOutput),
  signIns: newest(SignInEntry),
  invitations: z.array(Invitation),
});
