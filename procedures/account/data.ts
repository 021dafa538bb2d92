import { z } from 'zod';
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
import { noInput } from '../schemas/fields.ts';
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
  const mails = await session.first(findNotifications, { person });
  if (profile === undefined || mails === undefined) throw sessionEnded();
  const { lastCompany, hasPassword, hasTotp, recoveryCodes, createdAt, ...names } = profile;
  const { refusedAt, ...notifications } = mails;
  const passkeys = singleSignOnCompany === null ? await session.run(listPasskeys, { person }) : [];
  const identities = await session.run(listIdentityData, shown);
  const signIns = await session.run(listSignInData, shown);
  const invitations = await session.run(listInvitationData, shown);
  return {
    profile: { ...names, createdAt: toIso(createdAt) },
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
      items: identities.map(({ total: _total, sequence, eventUniqueId, at, ...record }) => ({
        ...record,
        sequence: sequence === null ? null : Number(sequence),
        event: { uniqueId: eventUniqueId, occurredAt: toIso(at) },
      })),
    },
    sessions: await listSessions(ctx),
    signIns: {
      total: signIns[0]?.total ?? 0,
      items: signIns.map(({ total: _total, at, ...entry }) => ({ ...entry, at: toIso(at) })),
    },
    invitations: invitations.map(
      ({ company, companyName, createdAt: invitedAt, expiresAt, usedAt, revokedAt, ...row }) => ({
        company: { id: company, name: companyName },
        ...row,
        createdAt: toIso(invitedAt),
        expiresAt: toIso(expiresAt),
        usedAt: toIsoOrNull(usedAt),
        revokedAt: toIsoOrNull(revokedAt),
      }),
    ),
  };
}

/** Reads each company as its member: no statement for all companies reaches views and watches. */
async function readMemberships(
  { session }: AccountContext,
  { name, ...shown }: ReturnType<typeof reachableSessions> & { name: string },
): Promise<z.infer<typeof AccountData>['memberships']> {
  const memberships = [];
  for (const { company, companyName, joinedAt, endedAt, issuer, subject, ...row } of await session.run(
    listMembershipData,
    shown,
  )) {
    const asMember = session.actingAs(memberPrincipal({ company, name, ...row }));
    memberships.push({
      company: { id: company, name: companyName },
      ...row,
      joinedAt: toIso(joinedAt),
      endedAt: toIsoOrNull(endedAt),
      singleSignOn: issuer === null || subject === null ? null : { issuer, subject },
      // Sequential, so that one request takes one connection.
      // oxlint-disable-next-line no-await-in-loop
      ...(await asMember.one(findOwnRows, {})),
    });
  }
  return memberships;
}
