import type { Actor } from '../../entities/company/user.ts';
import type { SampleCompany } from './company.ts';
import { COMMENTS, GDPR_TASKS, ISO_TASKS, PEOPLE, REVIEWS, TEAMS, VENDORS, VENDOR_FACTS } from './work.ts';
import type { Work } from './work.ts';

interface OpenTask {
  taskUniqueId: string;
  work: Work;
  /** Due dates of some tasks move. */
  isLate: boolean;
}

/** Sets the company up, and works on its tasks and vendors. */
export async function workThreeMonths(company: SampleCompany): Promise<void> {
  const { management } = company.caller();
  await company.after(0, () => management.settings.update({ timeZone: 'Europe/Berlin' }));
  const iso = await company.after(1, () => management.framework.create({ name: 'ISO 27001' }));
  const gdpr = await company.after(1, () => management.framework.create({ name: 'GDPR' }));
  const gap = await company.after(1, () => management.gap.create({ framework: iso.id, title: 'A.8.13 Backup' }));
  const teams: { department: number; member: Actor }[] = [];
  for (const [index, [name, role]] of PEOPLE.entries()) {
    const member = await company.after(5, () => company.join(name, role));
    const team = TEAMS[index];
    if (team === undefined) continue;
    const { id } = await company.after(1, () => management.department.create({ name: team }));
    teams.push({ department: id, member });
  }
  await company.after(5, () => management.apiKey.create({ name: 'Ticket system' }));
  const [lead] = teams;
  if (lead === undefined) throw new Error('sample: expected a team');
  const tasks: (OpenTask & { department: number; member: Actor; index: number })[] = [];
  const all: [number, Work][] = [
    ...ISO_TASKS.map((work): [number, Work] => [iso.id, work]),
    ...GDPR_TASKS.map((work): [number, Work] => [gdpr.id, work]),
  ];
  for (const [index, [framework, work]] of all.entries()) {
    const [title, number, , dueDate] = work;
    const { department, member } = teams[number] ?? lead;
    const isLate = index % 6 === 4;
    // Some tasks are newer than the start of the period.
    if (index === 26) company.continueAt('2026-07-06T07:10:00Z');
    const { uniqueId } = await company.after(index % 5 === 0 ? 7 : 2, () =>
      company.caller(lead.member).task.create({
        framework,
        title,
        departmentId: department,
        priority: 1 + ((index * 7) % 4),
        dueDate: isLate ? '2026-07-31' : dueDate,
      }),
    );
    tasks.push({ taskUniqueId: uniqueId, work, isLate, department, member, index });
  }
  company.continueAt('2026-06-09T07:12:00Z');
  for (const task of tasks) {
    const gaps = task.index === 2 ? [gap.id] : [];
    if (task.index === 2) company.continueAt('2026-07-07T07:40:00Z');
    await company.after(900 + ((task.index * 53) % 400), () =>
      company.caller(lead.member).task.update({
        taskUniqueId: task.taskUniqueId,
        assigneeId: task.member.uniqueId,
        ...(gaps.length > 0 && { gaps }),
      }),
    );
    await workOn(company, task);
  }
  for (const [index, name] of VENDORS.entries())
    await assess(company, teams[1]?.member ?? lead.member, { index, name });
}

async function workOn(
  company: SampleCompany,
  { taskUniqueId, work, isLate, member, index }: OpenTask & { member: Actor; index: number },
) {
  const [title, , status, dueDate] = work;
  const { task, comment } = company.caller(member);
  const change = (minutes: number, changes: Omit<Parameters<typeof task.update>[0], 'taskUniqueId'>) =>
    company.after(minutes, () => task.update({ taskUniqueId, ...changes }));
  if (status === 'todo') return;
  await change(35, { status: 'in_progress' });
  if (isLate) await change(200, { dueDate });
  if (index % 2 === 0)
    await company.after(90, () => comment.create({ taskUniqueId, text: COMMENTS[index % COMMENTS.length] ?? '' }));
  if (index % 3 !== 1) {
    const words = title.replace(/^\w+ (the )?/, '');
    const file = {
      name: `${words.charAt(0).toUpperCase()}${words.slice(1)}.pdf`,
      size: 40_000 + ((index * 37) % 11) * 91_000,
      validUntil: index % 9 === 3 ? '2026-09-15' : index % 4 === 0 ? '2027-06-30' : null,
    };
    await company.after(60, () => company.attach(member, { taskUniqueId }, file));
  }
  if (status === 'in_progress') return;
  await change(30, { status: 'in_review' });
  if (status !== 'in_review') await change(45, { status });
}

async function assess(company: SampleCompany, member: Actor, { index, name }: { index: number; name: string }) {
  const { vendor, comment } = company.caller(member);
  const facts = VENDOR_FACTS[index] ?? {};
  const { uniqueId } = await company.after(30, () => vendor.create({ name, ...facts, ownerId: member.uniqueId }));
  const file = { name: `Certificate of ${name}.pdf`, size: 210_000 + index * 4000, validUntil: '2027-08-31' };
  if (index < 2) await company.after(20, () => company.attach(member, { vendor: uniqueId }, file));
  const isEnding = index === 3;
  if (isEnding) await company.after(20, () => vendor.update({ vendor: uniqueId, status: 'inactive' }));
  const text = isEnding ? 'The contract ends in December.' : 'The questionnaire is back, without findings.';
  await company.after(15, () => comment.create({ vendor: uniqueId, text }));
  const review = REVIEWS[index];
  if (review !== undefined) await company.after(40, () => vendor.review({ vendor: uniqueId, ...review }));
}
