import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';
import { Session } from '../../../database/session.ts';
import { newUniqueId } from '../../../entities/ids.ts';
import { ROLE_SCOPES } from '../../../entities/member/role.ts';
import type { Role } from '../../../entities/member/role.ts';
import type { Principal } from '../../../entities/principal.ts';
import { findPersonByEmail, insertPerson } from '../../../entities/member/statements.ts';
import { insertWebSession } from '../../../entities/sign-in/web-session-statements.ts';
import type { Context } from '../../../procedures/core/context.ts';
import { Encryption } from '../../../procedures/core/encryption.ts';
import type { Services } from '../../../procedures/core/services.ts';
import { createSigning } from '../../../procedures/core/signing.ts';
import { createCaller } from '../../../procedures/index.ts';
import { join } from '../../../procedures/member/identity.ts';
import { createWebhookClient } from '../../../server/outbound/webhook-client.ts';
import { database } from '../database/database.ts';

/** Services of direct callers, without mail. Webhooks may be on this machine. */
export const services: Services = {
  appUrl: () => 'http://localhost:3000',
  encryption: new Encryption([randomBytes(32)]),
  signing: { current: createSigning(generateKeyPairSync('ed25519').privateKey) },
  hasMail: false,
  requirePublicUrl: createWebhookClient(true).requirePublicUrl,
};

/** The same with mail: links are mailed, and shown to nobody. `mailsTo` reads the mails. */
export const mailServices: Services = { ...services, hasMail: true };

/** A person, created or found by email. */
async function ensurePerson(
  email: string,
  { name, password, isProven }: { name: string; password: string | null; isProven: boolean },
): Promise<string> {
  const session = new Session(database, null, 'test');
  const created = await session.first(insertPerson, { uniqueId: newUniqueId(), email, name, password, isProven });
  return (created ?? (await session.one(findPersonByEmail, { email }))).unique_id;
}

interface NewMember {
  role?: Role;
  frameworks?: number[] | null;
  email?: string;
  name?: string;
  /** PHC string. */
  password?: string | null;
  /** By default the address is not proven. */
  isProven?: boolean;
}

/** Creates a signed-in member of a company, without the steps of an invitation. */
export async function createMember(
  { id: company }: { id: number },
  { role = 'admin', frameworks = null, name = 'Ann', password = null, isProven = false, ...given }: NewMember = {},
) {
  const email = given.email ?? `${newUniqueId()}@example.com`;
  const person = await ensurePerson(email, { name, password, isProven });
  const uniqueId = newUniqueId();
  const user = { uniqueId, name, kind: 'human' as const };
  const principal: Principal = {
    company,
    user,
    key: null,
    role,
    scopes: ROLE_SCOPES[role],
    frameworks,
    cidrs: null,
  };
  const session = new Session(database, principal, 'member-request');
  await session.transaction((inside) => join(inside, { person, name, email, role, frameworks }));
  const token = randomBytes(32).toString('base64url');
  const webSession = { uniqueId: newUniqueId(), person, singleSignOn: false };
  await new Session(database, null, 'test').one(insertWebSession, {
    uniqueId: webSession.uniqueId,
    tokenHash: hash('sha256', token, 'buffer'),
    person,
    actsFor: company,
    method: 'password',
    singleSignOnDomain: null,
    hasSecondFactor: false,
    userAgent: 'test',
    address: null,
  });
  const context: Context = {
    requestId: 'member-request',
    caller: 'member',
    address: null,
    session,
    webSession,
    services,
  };
  return { uniqueId, email, person, user, token, webSession, context, caller: createCaller(context) };
}

export type TestMember = Awaited<ReturnType<typeof createMember>>;
