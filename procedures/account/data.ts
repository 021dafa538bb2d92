import type { z } from 'zod';
import { noInput } from '../../entities/fields/schemas.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import {
  findOwnRows,
  findProfile,
  listIdentityData,
  listInvitationData,
  listMembershipData,
  listSignInData,
} from '../../entities/person/data.ts';
import { findNotifications } from '../../entities/person/notifications.ts';
import { listPasskeys } from '../../entities/person/passkey-statements.ts';
import { toIso, toIsoOrNull } from '../../entities/statements/change-metadata.ts';
import { accountProcedure } from '../core/trpc.ts';
import { AccountData } from './data-schemas.ts';
import { listSessions, reachableSessions, sessionEnded, toPasskeyRecord } from './person.ts';
import type { AccountContext } from './person.ts';

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
