import { expect, test } from 'vitest';
import { OPERATOR } from '../../entities/company/user.ts';
import { INVITATION_DAYS, INVITATION_RETENTION_DAYS, deleteOldInvitations } from '../../entities/member/invitation.ts';
import { runJob } from '../support/database/jobs.ts';
import { asOwner, sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { invite, newEmail } from '../support/tenants/sign-in.ts';

test('invitations are deleted 30 days after they were used or revoked, or have run out, without an event', async () => {
  const [company, other] = [await createCompany(), await createCompany()];
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  /** Invites somebody. Sets the times of the invitation, in days before now. */
  const inviteAt = async (owner: { id: number }, times: { used?: number; revoked?: number; expires: number }) => {
    const email = newEmail();
    await invite(owner, email);
    const { used, revoked, expires } = times;
    await asOwner(
      (run) =>
        run(
          'update invitation set used_at = $2, revoked_at = $3, expires_at = $4 where email = $1',
          email,
          used === undefined ? null : daysAgo(used),
          revoked === undefined ? null : daysAgo(revoked),
          daysAgo(expires),
        ),
      { company: owner.id, user: OPERATOR.uniqueId },
    );
    return email;
  };
  const kept = [
    await inviteAt(company, { expires: -INVITATION_DAYS }),
    await inviteAt(company, { expires: INVITATION_RETENTION_DAYS - 1 }),
    await inviteAt(company, { used: 29, expires: 25 }),
    await inviteAt(company, { revoked: 29, expires: 25 }),
  ];
  const old = [
    await inviteAt(company, { expires: INVITATION_RETENTION_DAYS }),
    await inviteAt(company, { used: INVITATION_RETENTION_DAYS, expires: 25 }),
    await inviteAt(company, { revoked: INVITATION_RETENTION_DAYS, expires: 25 }),
    await inviteAt(company, { revoked: 2, expires: INVITATION_RETENTION_DAYS + 1 }),
    await inviteAt(other, { expires: 400 }),
  ];
  const emails = [...kept, ...old];
  const left = async () =>
    (await sql<{ email: string }>('select email from invitation where email = any($1::text[])', emails)).map(
      ({ email }) => email,
    );
  const events = async () => [await company.events(), await other.events()];
  expect((await left()).toSorted()).toEqual(emails.toSorted());
  const before = await events();
  await runJob(deleteOldInvitations.name);
  expect((await left()).toSorted()).toEqual(kept.toSorted());
  expect(await events()).toEqual(before);
});
