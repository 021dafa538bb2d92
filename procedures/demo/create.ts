import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../../entities/api-error.ts';
import { findCompanyByName, insertDemoCompany, lockDemoCompanies, setDemoTime } from '../../entities/company/demo.ts';
import { addInboxReaders, fanOutItems, findInboxCompanies } from '../../entities/inbox/fan-out.ts';
import { createCompany } from '../management/company.ts';
import type { AnySession } from '../core/context.ts';
import type { Services } from '../core/services.ts';
import { sealWaiting } from '../audit/sealing.ts';
import { Calendar, createRandom } from './calendar.ts';
import { memberDomain, addKey, joinMember } from './members.ts';
import type { DemoSecrets } from './members.ts';
import { DemoCompany } from './past.ts';
import { reportedStories, taskStory, recurs, seriesStory } from './plan/tasks.ts';
import type { Plan } from './plan/tasks.ts';
import { auditStory, vendorQuestionStory } from './plan/audit.ts';
import { vendorStories } from './plan/vendors.ts';
import { World, inOrder, Story } from './world.ts';
import type { Step } from './world.ts';
import { MEMBERS, KEYS } from './content/people.ts';
import { DEPARTMENTS } from './content/control.ts';
import type { DemoFramework } from './content/framework.ts';
import { GDPR } from './content/gdpr.ts';
import { GDPR_REQUIREMENTS } from './content/gdpr-requirements.ts';
import { ISO_ORGANISATION, ISO_TECHNOLOGY } from './content/iso-27001.ts';
import { ISO_REQUIREMENTS } from './content/iso-27001-requirements.ts';
import { SOC_2 } from './content/soc-2.ts';
import { SOC_2_REQUIREMENTS } from './content/soc-2-requirements.ts';
import { addGaps, addRequirements, assessmentStories } from './plan/requirements.ts';

/** The frameworks, in the order in which the company began to work on them. */
const FRAMEWORKS: readonly DemoFramework[] = [
  {
    name: 'ISO 27001',
    owner: 'mara',
    begunDaysAgo: 360,
    auditInDays: 74,
    requirements: ISO_REQUIREMENTS,
    controls: [...ISO_ORGANISATION, ...ISO_TECHNOLOGY],
  },
  {
    name: 'GDPR',
    owner: 'priya',
    begunDaysAgo: 290,
    auditInDays: 132,
    requirements: GDPR_REQUIREMENTS,
    controls: GDPR,
  },
  {
    name: 'SOC 2',
    owner: 'jonas',
    begunDaysAgo: 200,
    auditInDays: 41,
    requirements: SOC_2_REQUIREMENTS,
    controls: SOC_2,
  },
];

/** Adds what exists only in the present: a webhook endpoint, and an import with mistakes. A job of the service runs the import. */
async function addPresent(world: World, calendar: Calendar, domain: string): Promise<void> {
  const { demo } = world;
  const caller = demo.now(world.principal('mara'));
  // On PostgreSQL there may be no key for the secret of the endpoint.
  if (demo.services.encryption !== undefined)
    await caller.webhook.create({
      url: `https://hooks.${domain}/compliance`,
      description: 'Tells the portal of the vendors what has changed',
      events: ['vendor.*'],
    });
  const framework = world.frameworks.get(FRAMEWORKS.at(-1)?.name ?? '') ?? 0;
  await caller.task.import({ framework, format: 'csv', source: 'audit', content: importFile(calendar) });
}

/** Findings of an audit as a table with mistakes: the rows with a wrong date, priority, title and status are not imported. */
const IMPORT_ROWS = [
  ['FND-01', 'Define who may approve emergency access', '2', 'todo', 30],
  ['FND-02', 'Add the new region to the description of the system', '2', 'todo', 45],
  ['FND-03', 'Record the approval of two releases', '3', 'in_progress', 20],
  ['FND-04', 'Remove three unused administrators', 'urgent', 'todo', 14],
  ['FND-05', 'Show the result of the capacity test', '3', 'todo', 60],
  ['FND-06', 'Sign the code of conduct (two contractors)', '4', 'todo', 30],
  ['FND-07', 'Explain the exception in the sample of backups', '2', 'in_progress', 21],
  ['FND-08', 'Extend the audit log of the vault to one year', '2', 'todo', 90],
  ['FND-09', 'Describe the way back of database changes', '3', 'todo', 75],
  ['FND-10', 'Repeat the test of the alarm chain at night', '3', 'todo', 40],
  ['FND-11', 'Add owners to four risks', '3', 'todo', 25],
  ['FND-12', 'Confirm the deletion for one customer', '1', 'todo', 10],
  ['FND-13', 'Check the list of visitors', '7', 'todo', 30],
  ['FND-14', '', '3', 'todo', 30],
  ['FND-15', 'Translate the notice for applicants', '3', 'waiting', 30],
  ['FND-16', 'Update the chart of the network', '3', 'todo', null],
] as const;

const importFile = (calendar: Calendar): string =>
  [
    'externalId,title,priority,status,dueDate',
    ...IMPORT_ROWS.map(([id, title, priority, status, dueIn]) =>
      [id, title, priority, status, dueIn === null ? 'end of June' : calendar.date(dueIn)].join(','),
    ),
  ].join('\r\n');

/** Items of these last days stay unread, at most this number of each member. */
const UNREAD = { days: 12, items: 9 } as const;
const DAY_MS = 86_400_000;
const PAGE = 100;
const POLL_MS = 20;

/** Milliseconds for which other processes may seal or read the same events. Then the inboxes are left to them. */
const MAX_MS = 10_000;

/** Seals the events, fills the inboxes of the members, and marks all but the last items as read. */
async function settleInboxes(world: World): Promise<void> {
  const operator = world.demo.session(world.principal('operator'));
  if (!(await sealWaiting(operator, MAX_MS))) return;
  await operator.run(addInboxReaders, {});
  for (const end = performance.now() + MAX_MS; performance.now() < end;) {
    const { moved } = await operator.one(fanOutItems, { hasMail: false });
    if (moved) continue;
    const waiting = await operator.run(findInboxCompanies, {});
    if (!waiting.some(({ id }) => id === world.demo.id)) break;
    await wait(POLL_MS);
  }
  for (const { actor } of MEMBERS) await readOldItems(world, actor);
}

async function readOldItems(world: World, actor: (typeof MEMBERS)[number]['actor']): Promise<void> {
  const { inbox } = world.demo.now(world.principal(actor));
  const since = new Date(Date.now() - UNREAD.days * DAY_MS).toISOString();
  let seen = 0;
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await inbox.list({
      unread: true,
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    const old = items.filter(({ at }, index) => at < since || seen + index >= UNREAD.items);
    if (old.length > 0) await inbox.read({ uniqueIds: old.map(({ uniqueId }) => uniqueId) });
    seen += items.length;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}

/** Days before today on which the company is created. */
const COMPANY_DAYS_AGO = 370;
const DEPARTMENTS_DAYS_AGO = 364;
const ADMIN = 'mara';

/** Stories of the members, keys, departments and frameworks. All others begin later. */
function foundation(calendar: Calendar, given: { domain: string; secrets: DemoSecrets }): Story[] {
  const [firstFramework, ...laterFrameworks] = FRAMEWORKS;
  const first = new Story();
  const later: Story[] = [];
  for (const member of MEMBERS) {
    const story = member.joinedDaysAgo > DEPARTMENTS_DAYS_AGO - 10 ? first : new Story();
    const inviter = member.actor === ADMIN ? 'operator' : ADMIN;
    story.add(calendar.workTime(member.joinedDaysAgo), inviter, (world, step) =>
      joinMember(world, step, member, { ...given, calendar }),
    );
    if (story !== first) later.push(story);
  }
  first.add(calendar.workTime(DEPARTMENTS_DAYS_AGO), ADMIN, addDepartments);
  for (const key of KEYS)
    first.add(calendar.workTime(key.createdDaysAgo), ADMIN, (world, step) => addKey(world, step, key, given.secrets));
  if (firstFramework !== undefined) begin(first, calendar, firstFramework);
  for (const framework of laterFrameworks) later.push(begin(new Story(), calendar, framework));
  return [first, ...later];
}

async function addDepartments(world: World, step: Step): Promise<void> {
  for (const name of DEPARTMENTS) {
    const { id } = await world.units(step).department.create({ name });
    world.departments.set(name, id);
  }
}

/** Adds a framework with its requirements, and the gaps that were found in it. */
function begin(story: Story, calendar: Calendar, framework: DemoFramework): Story {
  const { name, begunDaysAgo, owner, auditInDays } = framework;
  return story.add(calendar.workTime(begunDaysAgo), ADMIN, async (world, step) => {
    const { id } = await world.units(step).framework.create({ name });
    world.frameworks.set(name, id);
    const facts = { ownerId: world.user(owner), auditDate: calendar.date(auditInDays) };
    await world.act(step, (caller) => caller.management.framework.update({ id, ...facts }));
    await addRequirements(world, step, framework);
    await addGaps(world, step, framework);
  });
}

/** Content is the same in each company; dates are relative to the day of its creation. */
const SEED = 'demo company';

/**
 * Creates a company with a year of invented work, by calling the procedures in the order of their times.
 * @param session of the operator, without a company
 * @returns the secrets, which are shown once
 * @throws ApiError 409 if a company has the name
 */
export async function createDemoCompany(
  session: AnySession,
  services: Services,
  name: string,
): Promise<DemoSecrets & { id: number }> {
  const random = createRandom(SEED);
  const plan = { random, calendar: new Calendar(new Date(), random) };
  const id = await insert(session, name, plan.calendar.workTime(COMPANY_DAYS_AGO));
  // The mailboxes of the members do not exist.
  const world = new World(new DemoCompany(session, id, { ...services, hasMail: false }));
  const secrets: DemoSecrets = { members: [], keys: [] };
  const domain = await memberDomain(session, { id, name });
  const stories = [...foundation(plan.calendar, { domain, secrets }), ...workStories(plan)];
  for (const step of inOrder(stories)) await step.run(world, step);
  await settleInboxes(world);
  await addPresent(world, plan.calendar, domain);
  return { id, ...secrets };
}

function insert(session: AnySession, name: string, at: Date): Promise<number> {
  return session.transaction(async (inside) => {
    await inside.run(lockDemoCompanies, {});
    const existing = await inside.first(findCompanyByName, { name });
    if (existing !== undefined)
      throw new ApiError(
        'conflict',
        `company: ${name} exists already, with the id ${existing.id}; choose another name`,
      );
    const { id } = await createCompany(inside, insertDemoCompany, name);
    await inside.asOperator(id).one(setDemoTime, { at: at.toISOString() });
    return id;
  });
}

/** Stories of the vendors, tasks and assessments, and of the audit of the first framework. */
function workStories(plan: Plan): Story[] {
  const tasks = FRAMEWORKS.flatMap((framework) =>
    framework.controls.map((control, index) =>
      recurs(control) ? seriesStory(control, framework, plan) : taskStory(control, framework, index, plan),
    ),
  );
  const reported = FRAMEWORKS.slice(0, 1).flatMap((framework) => reportedStories(framework, plan));
  const assessments = FRAMEWORKS.flatMap((framework) => assessmentStories(framework, plan));
  const audits = FRAMEWORKS.slice(0, 1).map((framework) => auditStory(framework, plan));
  return [...vendorStories(plan), ...tasks, ...reported, ...assessments, ...audits, vendorQuestionStory(plan)];
}
