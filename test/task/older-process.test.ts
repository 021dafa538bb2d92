import { expect, onTestFinished, test, vi } from 'vitest';
import { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { createCompany } from '../support/tenants/company.ts';
import { dateIn } from '../support/tenants/evidence.ts';
import { createMember } from '../support/tenants/member.ts';

test('reviewers, evidence, requirements, locks and last days are 503 while an older process runs, and clearing them is not', async () => {
  const acme = await createCompany();
  const ann = await createMember(acme);
  const { uniqueId } = await createMember(acme, { role: 'editor' });
  const { management, requirement } = ann.caller;
  const access = await requirement.create({ framework: acme.framework, ref: 'A.1', title: 'Access' });
  const { uniqueId: taskUniqueId } = await acme.newTask({ reviewerId: uniqueId, requirements: [access.uniqueId] });
  const before = await acme.events();
  const older = vi
    .spyOn(Session.prototype, 'requireVersion')
    .mockRejectedValue(new ApiError('unavailable', 'A process of version 0.17.0 runs.'));
  onTestFinished(() => older.mockRestore());
  const { uniqueId: open } = await acme.newTask();
  const fields = [{ reviewerId: uniqueId }, { needsEvidence: true }, { requirements: [access.uniqueId] }];
  const key = { framework: acme.framework, source: 'jira', externalId: 'T-1', title: 'Review' };
  const refused = [
    ...fields.flatMap((field) => [
      () => acme.newTask(field),
      () => acme.task.update({ taskUniqueId: open, ...field }),
      () => acme.task.putByExternalId({ ...key, ...field }),
    ]),
    () => management.settings.update({ lockClosed: true }),
    () => management.member.update({ uniqueId, endsAt: dateIn(5) }),
    () => management.member.invite({ email: 'gus@example.com', role: 'editor', endsAt: dateIn(5) }),
  ];
  for (const request of refused) await expect(request()).rejects.toThrow('A process of version 0.17.0 runs.');
  expect(await acme.events()).toHaveLength(before.length + 1);
  const cleared = { reviewerId: null, needsEvidence: false, requirements: [] };
  expect(await ann.caller.task.update({ taskUniqueId, ...cleared })).toMatchObject({ reviewer: null, version: 2 });
  expect(await management.settings.update({ lockClosed: false })).toMatchObject({ lockClosed: false });
  expect(await management.member.update({ uniqueId, endsAt: null, role: 'auditor' })).toMatchObject({ endsAt: null });
});
