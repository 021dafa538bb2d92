import { setTimeout as wait } from 'node:timers/promises';
import { asOperator, asPerson, rest } from './client.ts';
import type { Client } from './client.ts';
import type { People } from './people.ts';

const PROOF_POLL_MS = 200;

interface Objects {
  company: number;
  /** Raw key with all scopes. */
  key: string;
  task: string;
  vendor: string;
  people: People;
}

/** Ids of the work of people. */
export interface Work {
  comment: string;
  evidence: string;
  proof: string;
  /** A vendor with facts and a review. */
  reviewed: string;
  /** A task that recurs, closed. */
  recurring: string;
  /** Member to whom the task is given. */
  assignee: unknown;
}

const FACTS = {
  name: 'Hosting Ltd',
  website: 'https://cloud.example',
  criticality: 1,
  labels: ['hosting'],
  dataCategories: ['customer data'],
  contractStart: '2026-01-01',
  contractEnd: '2999-12-31',
  reviewEveryMonths: 12,
  contacts: [{ name: 'Ada Berg', email: 'ada@cloud.example' }],
};

/** Gives a task to a member, and creates comments, evidence, views and settings. */
export async function createWork(client: Client, { company, key, task, vendor, people }: Objects): Promise<Work> {
  const { admin, withTotp } = people;
  const send = (method: string, path: string, body?: unknown) => client.require(rest(key, method, path, body));
  const asAdmin = (procedure: string, input: unknown) => client.mutate(asPerson(admin.cookie), procedure, input);

  const { member: assignee } = await client.require({
    method: 'GET',
    path: '/session',
    headers: asPerson(admin.cookie),
  });
  await send('PATCH', `/external/task/${task}/edit`, { assigneeId: assignee });
  const comment = await send('POST', `/external/task/${task}/comment/new`, {
    text: '<p>Who has <b>access</b>?</p>',
    mentions: [assignee],
  });
  await send('PATCH', `/external/comment/${comment.uniqueId}/edit`, { text: 'Who has access, and why?' });
  const second = await asAdmin('comment.create', { taskUniqueId: task, text: 'Only the admins.' });
  const former = await asAdmin('comment.create', { taskUniqueId: task, text: 'Deleted' });
  await client.mutate(asOperator(company), 'comment.delete', { comment: former.uniqueId });
  await asAdmin('comment.update', { comment: second.uniqueId, mentions: [] });
  await send('POST', `/external/smart-inventory/vendor/${vendor}/comment/new`, { text: 'Ask for the report' });

  const attach = (name: string, content: string) =>
    client.require(
      rest(key, 'POST', `/external/task/${task}/evidence/new?name=${name}`, content, { 'Content-Type': 'text/plain' }),
    );
  const evidence = await attach('review.txt', 'Reviewed by Ann');
  await send('PATCH', `/external/evidence/${evidence.uniqueId}/edit`, { note: 'Signed', validUntil: '2999-12-31' });
  const removed = await attach('copy.txt', 'Reviewed by Ann');
  await asAdmin('evidence.delete', { evidence: removed.uniqueId });
  const link = { url: 'https://trust.example.com', name: 'Trust centre', date: '2026-06-30' };
  await send('POST', `/external/smart-inventory/vendor/${vendor}/evidence/link`, link);

  await asAdmin('view.create', { name: 'Urgent', page: 'tasks', query: 'priority=1&assignee=me', shared: true });
  await asAdmin('import.remember', {
    answers: [{ kind: 'vendor', field: 'status', value: 'aktiv', answer: 'active' }],
  });
  await client.mutate(asPerson(withTotp.cookie), 'view.create', { name: 'Mine', page: 'vendors', query: '' });
  await asAdmin('management.settings.update', { timeZone: 'Europe/Berlin' });
  await asAdmin('watch.set', { vendor, watching: true });
  await client.mutate(asPerson(withTotp.cookie), 'watch.set', { taskUniqueId: task, watching: false });
  const reviewed = await send('POST', '/external/smart-inventory/vendor/new', { ...FACTS, ownerId: assignee });
  await send('POST', `/external/smart-inventory/vendor/${reviewed.uniqueId}/review`, {
    note: 'The report is current.',
  });
  const { framework } = await send('GET', `/external/task/${task}/item`);
  const recurring = await send('POST', `/external/task/framework/${String(framework)}/new`, {
    title: 'Review the vendor',
    vendors: [vendor, reviewed.uniqueId],
    dueDate: '2999-01-31',
    recurrence: 'FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3',
  });
  await send('PATCH', `/external/task/${recurring.uniqueId}/edit`, { status: 'done' });
  const requirement = await asAdmin('requirement.create', { framework, ref: 'A.5.1', title: 'Policies' });
  const { uniqueId: below } = await asAdmin('requirement.create', {
    framework,
    ref: 'A.5.1.1',
    title: 'Approval',
    parent: requirement.uniqueId,
    ownerId: assignee,
  });
  await asAdmin('requirement.assess', { requirement: below, result: 'partly_met', note: 'One is missing.' });
  await asAdmin('comment.create', { requirement: below, text: 'Which one?' });
  await asAdmin('watch.set', { requirement: below, watching: true });
  await asAdmin('task.update', { taskUniqueId: recurring.uniqueId, requirements: [below] });
  const question = await asAdmin('comment.create', { taskUniqueId: task, kind: 'question', text: 'Which systems?' });
  await send('POST', `/external/task/${task}/comment/new`, { text: 'All of them.', replyTo: question.uniqueId });
  await asAdmin('comment.resolve', { comment: question.uniqueId });
  await asAdmin('evidence.check', { evidence: evidence.uniqueId, result: 'accepted', note: 'Signed by Ann.' });
  await asAdmin('task.create', { framework, title: 'Test the restore', reviewerId: assignee, needsEvidence: true });
  await send('POST', `/external/smart-inventory/vendor/${reviewed.uniqueId}/review`, {
    outcome: 'conditional',
    risk: 2,
  });
  await asAdmin('management.settings.update', { lockClosed: true });
  await asAdmin('management.settings.update', { lockClosed: false });
  await asAdmin('management.member.invite', { email: 'guest@example.com', role: 'auditor', endsAt: '2999-12-31' });
  const proof = await send('POST', '/external/proof/new', {});
  const canceled = await send('POST', '/external/proof/new', { evidence: false });
  await send('DELETE', `/external/proof/${canceled.uniqueId}/delete`);
  for (let state = proof['state']; state !== 'done';) {
    if (state === 'failed') throw new Error('scenario: expected a proof');
    await wait(PROOF_POLL_MS);
    ({ state } = await send('GET', `/external/proof/${proof.uniqueId}/item`));
  }
  return {
    comment: comment.uniqueId,
    evidence: evidence.uniqueId,
    proof: proof.uniqueId,
    recurring: recurring.uniqueId,
    reviewed: reviewed.uniqueId,
    assignee,
  };
}
