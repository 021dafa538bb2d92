import { randomBytes } from 'node:crypto';
import { findPersonByEmail } from '../../entities/member/statements.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import { endSessionByToken } from '../../entities/sign-in/session-end.ts';
import type { AnySession } from '../core/context.ts';
import { acceptInvitation } from '../sign-in/invitation.ts';
import { hashToken } from '../sign-in/tokens.ts';
import type { Calendar } from './calendar.ts';
import { MEMBERS } from './content/people.ts';
import type { KEYS } from './content/people.ts';
import type { Moment, World } from './world.ts';

/** Bytes of a generated password, which has 16 characters. */
const PASSWORD_BYTES = 12;
const DAY_MS = 86_400_000;

type DemoMember = (typeof MEMBERS)[number];

/** Secrets that are shown once, and stored nowhere in clear. */
export interface DemoSecrets {
  members: { name: string; email: string; role: DemoMember['role']; password: string }[];
  keys: { name: string; key: string }[];
}

/**
 * Domain of the members' addresses, which no other company has: `acme-robotics.example`. With the id of the company if there are persons
 * with such addresses, or if the name has no letters of ASCII.
 */
export async function memberDomain(session: AnySession, { id, name }: { id: number; name: string }): Promise<string> {
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const label = (words ?? []).join('-').slice(0, 40).replace(/-$/, '');
  if (label === '') return `company-${id}.example`;
  const domain = `${label}.example`;
  for (const member of MEMBERS) {
    const person = await session.first(findPersonByEmail, { email: emailOf(member, domain) });
    if (person !== undefined) return `${label}-${id}.example`;
  }
  return domain;
}

const emailOf = ({ name }: DemoMember, domain: string) => `${name.toLowerCase().replaceAll(' ', '.')}@${domain}`;

interface JoinOptions {
  domain: string;
  secrets: DemoSecrets;
  calendar: Calendar;
}

/** Invites a member and accepts the invitation, with a password that is made for it. */
export async function joinMember(
  world: World,
  step: Moment,
  member: DemoMember,
  { domain, secrets, calendar }: JoinOptions,
): Promise<void> {
  const { actor, name, role, endsInDays } = member;
  const endsAt = endsInDays === undefined ? null : calendar.date(endsInDays);
  const email = emailOf(member, domain);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const { demo } = world;
  const { person } = await demo.at(step.at, world.principal(step.by), async (caller, inside) => {
    const { link } = await caller.management.member.invite({ email, role, endsAt });
    const request = {
      session: inside,
      requestId: newUniqueId(),
      services: demo.services,
      attempts: { limit: <T>(_: object, attempt: () => Promise<T>) => attempt() },
      browser: { userAgent: 'manage demo create', address: null },
      currentToken: undefined,
    };
    const signedIn = await acceptInvitation(request, { token: link?.split('/').at(-1) ?? '', name, password });
    await inside.run(endSessionByToken, { tokenHash: hashToken(signedIn.token) });
    return signedIn;
  });
  const joined = await demo.now(world.principal('operator')).management.member.list();
  const { uniqueId } = joined.find((one) => one.email === email) ?? { uniqueId: '' };
  const principal = memberPrincipal({ company: demo.id, uniqueId, name, role, frameworks: null });
  world.addActor(actor, principal);
  // These mailboxes do not exist.
  const webSession = { uniqueId: newUniqueId(), person, singleSignOn: false };
  const none = { assigned: false, mentioned: false, commented: false, summary: false };
  await demo.now(principal, { webSession }).account.notifications.update(none);
  secrets.members.push({ name, email, role, password });
}

/** Creates an API key. */
export async function addKey(
  world: World,
  step: Moment,
  { actor, name, endsInDays }: (typeof KEYS)[number],
  secrets: DemoSecrets,
): Promise<void> {
  const expiresAt = endsInDays === null ? null : new Date(Date.now() + endsInDays * DAY_MS).toISOString();
  const { key, uniqueId, user, scopes } = await world.units(step).apiKey.create({ name, expiresAt });
  const limits = { role: null, frameworks: null, cidrs: null };
  world.addActor(actor, { company: world.demo.id, user, key: uniqueId, scopes, ...limits });
  secrets.keys.push({ name, key });
}
