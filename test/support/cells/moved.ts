import { OPERATOR } from '../../../entities/company/user.ts';
import { asOwner, database, sql } from '../database/database.ts';
import { createCompany } from '../tenants/company.ts';
import { createMember } from '../tenants/member.ts';
import { passwordHash, shown } from '../tenants/sign-in.ts';

/** URL of the cell to which companies of tests are moved. */
export const OTHER_CELL = 'https://b.example.com';

/** Puts a company into the state after a move, or after its switch. */
export async function moveAway({ id }: { id: number }, { url = OTHER_CELL, state = 'ended' } = {}): Promise<void> {
  await asOwner(
    async (run) => {
      await run(`update company set frozen_at = now() - interval '1 minute', moved_to = $2 where id = $1`, id, url);
      await run(
        `insert into company_move (id, direction, move, state, peer) values ($1, 'out', gen_random_uuid(), $3, $2)
         on conflict (id) do update set state = excluded.state`,
        id,
        url,
        state,
      );
    },
    { company: id, user: OPERATOR.uniqueId },
  );
  database.apiKeyCache.invalidate();
}

/** Makes a person one who arrived with a company, and whose email another person of this cell has. */
export const makeUnclaimed = (person: string): Promise<unknown> =>
  sql(
    `update person set unclaimed_email = email, email = unique_id || '@unclaimed.invalid', password = null, totp_secret = null,
      totp_confirmed_at = null where unique_id = $1`,
    person,
  );

/** Makes an unclaimed person, who has a member, that of a member of another company too. */
export const shareUnclaimed = (person: string, { company, member }: { company: number; member: string }) =>
  asOwner((run) => run('update member set person_id = $1 where unique_id = $2', person, member), {
    company,
    user: OPERATOR.uniqueId,
  });

interface Arrival {
  /** Name of the account with the email of the member. */
  name?: string;
  hasAccount?: boolean;
}

/** Creates a company whose member Ann arrived with it, and the account of this cell that has her email. */
export async function createArrived({ name = 'Ann', hasAccount = true }: Arrival = {}) {
  const acme = await createCompany();
  const admin = await createMember(acme, { role: 'admin' });
  const ann = await createMember(acme, { role: 'editor', frameworks: [acme.framework], password: passwordHash });
  await makeUnclaimed(ann.person);
  const rival = await createCompany('Rival');
  const account = hasAccount
    ? await createMember(rival, { email: ann.email, name, password: passwordHash, isProven: true })
    : undefined;
  /** Invites Ann. @returns the token of the link */
  const invite = async () => {
    const invitation = await admin.caller.management.member.invite({ email: ann.email, role: 'auditor' });
    return shown(invitation).split('/').at(-1) ?? '';
  };
  return { acme, admin, ann, rival, account, invite };
}

/** Person, role and end of a member. */
export const memberRow = async (member: string) =>
  (await sql('select person_id, role, frameworks, ended_at from member where unique_id = $1', member))[0];

export const personExists = async (person: string) =>
  (await sql('select 1 from person where unique_id = $1', person)).length === 1;
