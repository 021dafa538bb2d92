import { ApiError } from '../../entities/api-error.ts';
import { findCompanyByName, insertDemoCompany, lockDemoCompanies, setDemoTime } from '../../entities/company/demo.ts';
import { createCompany } from '../management/installation/company-id.ts';
import type { AnySession } from '../core/context.ts';
import type { Services } from '../core/services.ts';
import { Calendar } from './calendar.ts';
import { FRAMEWORKS } from './content/frameworks.ts';
import { COMPANY_DAYS_AGO, foundation } from './plan/foundation.ts';
import { settleInboxes } from './inboxes.ts';
import { memberDomain } from './members.ts';
import type { DemoSecrets } from './members.ts';
import { DemoCompany } from './past.ts';
import { addPresent } from './present.ts';
import { createRandom } from './random.ts';
import { recurs, seriesStory } from './plan/series.ts';
import { inOrder } from './story.ts';
import type { Story } from './story.ts';
import { reportedStories, taskStory } from './plan/tasks.ts';
import type { Plan } from './plan/tasks.ts';
import { vendorStories } from './plan/vendors.ts';
import { World } from './world.ts';

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
  // Nobody reads the mailboxes of the members.
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

/** Stories of the vendors and tasks. */
function workStories(plan: Plan): Story[] {
  const tasks = FRAMEWORKS.flatMap((framework) =>
    framework.controls.map((control, index) =>
      recurs(control) ? seriesStory(control, framework, plan) : taskStory(control, framework, index, plan),
    ),
  );
  const reported = FRAMEWORKS.slice(0, 1).flatMap((framework) => reportedStories(framework, plan));
  return [...vendorStories(plan), ...tasks, ...reported];
}
