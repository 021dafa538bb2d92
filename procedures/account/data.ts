import { z } from 'zod';
import { calendarDate } from '../../entities/fields/values.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import {
  findOwnRows,
  findProfile,
  listIdentityData,
  listInvitationData,
  listMembershipData,
  listSignInData,
  MAX_DATA_ROWS,
} from '../../entities/person/data.ts';
import { findNotifications } from '../../entities/person/notifications.ts';
import { listPasskeys } from '../../entities/person/passkey.ts';
import { toIso, toIsoOrNull } from '../../entities/statements/change-metadata.ts';
import { ROLES } from '../../entities/member/role.ts';
import { QUEUED_MAIL_KINDS } from '../../entities/mail/queued-mail.ts';
import { SIGN_IN_EVENTS, SIGN_IN_METHODS } from '../../entities/sign-in/sign-in.ts';
import { VIEW_PAGES } from '../../entities/view/view.ts';
import { noInput, timestampOutput, uniqueIdOutput } from '../../entities/fields/schemas.ts';
import { accountProcedure } from '../core/trpc.ts';
import { ImportAnswer } from '../import/schemas.ts';
import {
  listSessions,
  reachableSessions,
  sessionEnded,
  toPasskeyRecord,
  NotificationsOutput,
  PasskeyOutput,
  SessionOutput,
} from './person.ts';
import type { AccountContext } from './person.ts';

const CompanyName = z.strictObject({ id: z.int(), name: z.string() });
const access = {
  role: z.enum(ROLES),
  frameworks: z.array(z.int()).nullable(),
  endsAt: calendarDate.nullable().meta({ description: 'Last day of the membership; null for no end' }),
};
const count = (description: string) => z.int().min(0).meta({ description });

/** The newest rows of one kind, and the number of all rows. */
const newest = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    total: count('Number of all rows that are stored'),
    items: z.array(item).meta({ description: `The newest ${MAX_DATA_ROWS}, the newest first` }),
  });

const Membership = z.strictObject({
  company: CompanyName,
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
  importAnswers: z.array(ImportAnswer).meta({ description: 'Replacements that the member chose for values in files' }),
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
  company: CompanyName,
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
  totp: z.boolean().meta({ description: 'True if signing in with the password also needs a code' }),
  recoveryCodes: count('Recovery codes that are left'),
  passkeys: z.array(PasskeyOutput),
});

/** Everything that is stored about a person, without secrets and hashes. */
const AccountData = z.strictObject({
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

/** Everything that is stored about a person. Contract, section 26. */
export const data = accountProcedure
  .meta({
    description:
      'Show everything that is stored about the person; in a session of single sign-on only what belongs to its company',
  })
  .input(noInput)
  .output(AccountData)
  .query(({ ctx }) => readData(ctx));

async function readData(ctx: AccountContext): Promise<z.infer<typeof AccountData>> {
  const { session } = ctx;
  const shown = reachableSessions(ctx);
  const { person, singleSignOnCompany } = shown;
  const profile = await session.first(findProfile, { person });
  const settings = await session.first(findNotifications, { person });
  if (profile === undefined || settings === undefined) throw sessionEnded();
  const { lastCompany, hasPassword, hasTotp, recoveryCodes, createdAt, provenAt, newEmail, mails, ...names } = profile;
  const isOwn = singleSignOnCompany === null;
  const { refusedAt, ...notifications } = settings;
  const passkeys = singleSignOnCompany === null ? await session.run(listPasskeys, { person }) : [];
  const identities = await session.run(listIdentityData, shown);
  const signIns = await session.run(listSignInData, shown);
  const invitations = await session.run(listInvitationData, shown);
  return {
    profile: {
      ...names,
      createdAt: toIso(createdAt),
      provenAt: toIsoOrNull(provenAt),
      newEmail: isOwn && newEmail !== null ? { email: newEmail.email, expiresAt: toIso(newEmail.expiresAt) } : null,
    },
    mails: isOwn ? mails.map(({ kind, at }) => ({ kind, at: toIso(at) })) : [],
    credentials:
      singleSignOnCompany !== null
        ? null
        : {
            password: hasPassword,
            totp: hasTotp,
            recoveryCodes,
            passkeys: passkeys.map(toPasskeyRecord),
          },
    settings: {
      notifications,
      mailRefusedAt: toIsoOrNull(refusedAt),
      lastCompany: singleSignOnCompany === null || lastCompany === singleSignOnCompany ? lastCompany : null,
    },
    memberships: await readMemberships(ctx, { ...shown, name: profile.name }),
    identities: {
      total: identities[0]?.total ?? 0,
      items: identities.map(toIdentityRecord),
    },
    sessions: await listSessions(ctx),
    signIns: {
      total: signIns[0]?.total ?? 0,
      items: signIns.map(toSignInEntry),
    },
    invitations: invitations.map(toInvitationRecord),
  };
}

type Row<Read extends { row?: unknown }> = NonNullable<Read['row']>;

const toIdentityRecord = ({
  total: _total,
  sequence,
  eventUniqueId: uniqueId,
  at,
  ...record
}: Row<typeof listIdentityData>) => ({
  ...record,
  sequence: sequence === null ? null : Number(sequence),
  event: { uniqueId, occurredAt: toIso(at) },
});

const toSignInEntry = ({ total: _total, at, ...entry }: Row<typeof listSignInData>) => ({ ...entry, at: toIso(at) });

const toInvitationRecord = ({ company, companyName, ...row }: Row<typeof listInvitationData>) => ({
  ...row,
  company: { id: company, name: companyName },
  createdAt: toIso(row.createdAt),
  expiresAt: toIso(row.expiresAt),
  usedAt: toIsoOrNull(row.usedAt),
  revokedAt: toIsoOrNull(row.revokedAt),
});

/** Reads each company as its member: no statement for all companies reaches views and watches. */
async function readMemberships(
  { session }: AccountContext,
  { name, ...shown }: ReturnType<typeof reachableSessions> & { name: string },
): Promise<z.infer<typeof AccountData>['memberships']> {
  const memberships = [];
  for (const { company, companyName, joinedAt, endedAt, issuer, subject, changed, ...row } of await session.run(
    listMembershipData,
    shown,
  )) {
    const asMember = session.actingAs(memberPrincipal({ company, name, ...row }));
    memberships.push({
      company: { id: company, name: companyName },
      ...row,
      joinedAt: toIso(joinedAt),
      endedAt: toIsoOrNull(endedAt),
      changed: Object.entries(changed).flatMap(([change, at]) => (at === null ? [] : [{ change, at: toIso(at) }])),
      singleSignOn: issuer === null || subject === null ? null : { issuer, subject },
      // Sequential, so that one request takes one connection.
      // oxlint-disable-next-line no-await-in-loop
      ...(await asMember.one(findOwnRows, {})),
    });
  }
  return memberships;
}
