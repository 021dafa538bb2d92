import { describe, expect, test } from 'vitest';
import { MAX_INVITATIONS_A_DAY } from '../../../entities/member/invitation.ts';
import { sql } from '../../support/database/database.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';
import { mailsTo, withMail } from '../../support/tenants/queued-mails.ts';
import { newEmail, passwordHash } from '../../support/tenants/sign-in.ts';

describe('with mail, an admin', () => {
  test('gets the same answers for an address with an account in another company and one without', async () => {
    const acme = await createCompany();
    const admin = await createMember(acme);
    const { member } = withMail(admin).management;
    const other = await createMember(await createCompany('Other'), { isProven: true, password: passwordHash });
    const alone = await createMember(acme, { role: 'editor' });
    const shared = await createMember(acme, { role: 'editor', email: other.email });

    const shape = (answer: object) =>
      Object.entries(answer).map(([name, value]) => [name, value === null, typeof value]);
    const invitations = [];
    for (const { email } of [await createMember(await createCompany('Third')), { email: newEmail() }])
      invitations.push(shape(await member.invite({ email, role: 'editor' })));
    expect(invitations[1]).toEqual(invitations[0]);

    const resets = [];
    for (const { uniqueId } of [alone, shared]) resets.push(shape(await member.resetPassword({ uniqueId })));
    expect(resets[1]).toEqual(resets[0]);

    const updates = [];
    for (const [{ uniqueId }, email] of [
      [alone, newEmail()],
      [alone, other.email],
      [shared, newEmail()],
    ] as const)
      updates.push(shape(await member.update({ uniqueId, email })));
    expect(updates[1]).toEqual(updates[0]);
    expect(updates[2]).toEqual(updates[0]);

    const actions = (await acme.events()).map(({ action, resource_id: id }) => [action, id]);
    const of = ({ uniqueId }: { uniqueId: string }) =>
      actions.filter(([, id]) => id === uniqueId).map(([action]) => action);
    expect(of(shared)).toEqual(of(alone));
  });
});

test(`a company makes at most ${MAX_INVITATIONS_A_DAY} invitations in 24 hours, with and without mail`, async () => {
  const acme = await createCompany();
  const admin = await createMember(acme);
  const invite = (email: string) => withMail(admin).management.member.invite({ email, role: 'editor' });
  for (let count = 0; count < MAX_INVITATIONS_A_DAY; count++)
    await (count % 2 === 0
      ? invite(newEmail())
      : admin.caller.management.member.invite({ email: newEmail(), role: 'editor' }));
  const email = newEmail();
  const refused = {
    code: 'UNPROCESSABLE_CONTENT',
    message: `email: the company has made ${MAX_INVITATIONS_A_DAY} invitations in the last 24 hours; try again later`,
  };
  await expect(invite(email)).rejects.toMatchObject(refused);
  await expect(admin.caller.management.member.invite({ email, role: 'editor' })).rejects.toMatchObject(refused);
  expect(await mailsTo(email)).toEqual([]);
  await sql(
    `with settings as (select set_config('app.company', $1::text, true), set_config('app.user', $2, true))
     update invitation set created_at = now() - interval '24 hours' from settings where company_id = $1::int`,
    acme.id,
    admin.uniqueId,
  );
  expect(await invite(email)).toMatchObject({ link: null });
});
