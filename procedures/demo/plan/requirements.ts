import { dateOf } from '../calendar.ts';
import type { Random } from '../calendar.ts';
import type { DemoFramework } from '../content/framework.ts';
import { OWNERS } from '../content/people.ts';
import type { DemoRequirement } from '../content/requirement.ts';
import { ASSESSMENT_NOTES, REQUIREMENT_COMMENTS } from '../content/talk.ts';
import { Story } from '../world.ts';
import type { Step, World } from '../world.ts';
import type { Plan } from './tasks.ts';
import { reportFile, say } from './work.ts';

/** Days from the beginning of a framework to its first assessments. */
const FIRST_ASSESSMENT_DAYS = 25;
/** One requirement in this many has a comment, or evidence of its own. */
const EVERY = { comment: 6, evidence: 5 } as const;

const ownerOf = ({ department }: DemoRequirement) => department && OWNERS[department];

/** Adds the requirements of a framework, and links the tasks of earlier frameworks to them. */
export async function addRequirements(world: World, step: Step, { name, requirements }: DemoFramework): Promise<void> {
  const framework = world.frameworks.get(name) ?? 0;
  const created = await world.act(step, async (caller) => {
    const ids = new Map<string, string>();
    for (const [position, requirement] of requirements.entries()) {
      const { ref, title, description, heading, department, isExcluded, justification } = requirement;
      const owner = ownerOf(requirement);
      const { uniqueId } = await caller.requirement.create({
        framework,
        ref,
        title,
        description,
        parent: ids.get(heading ?? '') ?? null,
        position: position + 1,
        assessable: department !== undefined,
        applicable: !isExcluded,
        justification,
        ownerId: owner === undefined ? null : world.user(owner),
      });
      ids.set(ref, uniqueId);
    }
    return ids;
  });
  for (const requirement of requirements) world.requirements.set(requirement, created.get(requirement.ref) ?? '');
  await world.act(step, async (caller) => {
    for (const { control, uniqueId } of world.tasks) {
      const linked = world.requirementsOf(control.title);
      if (linked.length > 0) await caller.task.update({ taskUniqueId: uniqueId, requirements: linked });
    }
  });
}

/** Adds the gaps that were found in a framework, each with the requirement that is not met. */
export async function addGaps(
  world: World,
  step: Step,
  { name, requirements, controls }: DemoFramework,
): Promise<void> {
  const framework = world.frameworks.get(name) ?? 0;
  for (const { title, gap } of controls) {
    if (gap === undefined) continue;
    const { id } = await world.units(step).gap.create({ framework, title: gap });
    world.gaps.set(gap, id);
    const requirement = requirements.find(({ controls: names }) => names.some((start) => title.startsWith(start)));
    const owner = requirement && ownerOf(requirement);
    const facts = {
      requirement: (requirement && world.requirements.get(requirement)) ?? null,
      ownerId: owner === undefined ? null : world.user(owner),
    };
    await world.act(step, (caller) => caller.management.gap.update({ id, ...facts }));
  }
}

/** Stories of the assessments of a framework over the time since its beginning, with the ends of its gaps. */
export const assessmentStories = (framework: DemoFramework, plan: Plan): Story[] => [
  ...framework.requirements.map((requirement, index) => assessmentStory(requirement, index, framework, plan)),
  ...gapStories(framework, plan),
];

/** Days before today on which an assessment is made: the first one soon after the beginning, and the last of several in the last weeks. */
function assessedAgo({ begunDaysAgo }: DemoFramework, position: number, count: number, random: Random): number {
  const firstAgo = begunDaysAgo - FIRST_ASSESSMENT_DAYS;
  if (count === 1) return random.between(10, firstAgo);
  if (position === count - 1) return random.between(4, 75);
  return (firstAgo * (count - 1 - position)) / (count - 1) - random.between(0, 40);
}

function assessmentStory(
  requirement: DemoRequirement,
  index: number,
  framework: DemoFramework,
  { calendar, random }: Plan,
): Story {
  const { title, results } = requirement;
  const story = new Story();
  const owner = ownerOf(requirement);
  if (owner === undefined) return story;
  const parent = (world: World) => ({ requirement: world.requirements.get(requirement) ?? '' });
  for (const [position, result] of results.entries()) {
    const at = calendar.workTime(assessedAgo(framework, position, results.length, random));
    const note = random.pick(ASSESSMENT_NOTES[result]);
    const isLast = position === results.length - 1;
    if (isLast && index % EVERY.evidence === 1) {
      const report = reportFile(title, dateOf(at), random);
      story.add(at, owner, (world, step) => world.attach(step, parent(world), report));
    }
    story.add(at, random.chance(0.7) ? 'mara' : owner, (world, step) =>
      world.act(step, (caller) => caller.requirement.assess({ ...parent(world), result, note })),
    );
  }
  if (index % EVERY.comment === 2) {
    const at = calendar.workTime(random.between(2, framework.begunDaysAgo - FIRST_ASSESSMENT_DAYS));
    say(story, { at, by: owner }, parent, random.pick(REQUIREMENT_COMMENTS));
  }
  return story;
}

/** Gaps of requirements that are met are closed; the others have a due date, of which the first one is over. */
const gapStories = ({ requirements, controls }: DemoFramework, { calendar, random }: Plan): Story[] =>
  controls
    .filter(({ gap }) => gap !== undefined)
    .map(({ gap = '', title }, index) => {
      const requirement = requirements.find(({ controls: names }) => names.some((start) => title.startsWith(start)));
      const isClosed = requirement?.results.at(-1) === 'met';
      const dueDate = calendar.date(isClosed ? -random.between(20, 90) : index === 1 ? -6 : random.between(10, 100));
      return new Story().add(calendar.workTime(random.between(4, 18)), 'mara', async (world, step) => {
        const id = world.gaps.get(gap) ?? 0;
        const status = isClosed ? 'closed' : 'open';
        await world.act(step, (caller) => caller.management.gap.update({ id, dueDate, status }));
      });
    });
