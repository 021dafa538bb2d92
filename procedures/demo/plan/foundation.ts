import type { Calendar } from '../calendar.ts';
import { DEPARTMENTS } from '../content/control.ts';
import type { DemoFramework } from '../content/control.ts';
import { FRAMEWORKS } from '../content/frameworks.ts';
import { KEYS, MEMBERS } from '../content/people.ts';
import { addKey, joinMember } from '../members.ts';
import type { DemoSecrets } from '../members.ts';
import { Story } from '../story.ts';
import type { Step } from '../story.ts';
import type { World } from '../world.ts';

/** Days before today on which the company is created. */
export const COMPANY_DAYS_AGO = 370;
const DEPARTMENTS_DAYS_AGO = 364;
const ADMIN = 'mara';

/** Stories of the members, keys, departments and frameworks. All others begin later. */
export function foundation(calendar: Calendar, given: { domain: string; secrets: DemoSecrets }): Story[] {
  const [firstFramework, ...laterFrameworks] = FRAMEWORKS;
  const first = new Story();
  const later: Story[] = [];
  for (const member of MEMBERS) {
    const story = member.joinedDaysAgo > DEPARTMENTS_DAYS_AGO - 10 ? first : new Story();
    const inviter = member.actor === ADMIN ? 'operator' : ADMIN;
    story.add(calendar.workTime(member.joinedDaysAgo), inviter, (world, step) =>
      joinMember(world, step, member, given),
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

/** Adds a framework with the gaps that were found in it. */
function begin(story: Story, calendar: Calendar, { name, begunDaysAgo, controls }: DemoFramework): Story {
  return story.add(calendar.workTime(begunDaysAgo), ADMIN, async (world, step) => {
    const { id } = await world.units(step).framework.create({ name });
    world.frameworks.set(name, id);
    for (const { gap: title } of controls) {
      if (title === undefined) continue;
      const gap = await world.units(step).gap.create({ framework: id, title });
      world.gaps.set(title, gap.id);
    }
  });
}
