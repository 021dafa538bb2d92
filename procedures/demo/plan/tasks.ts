import type { Calendar, Random } from '../calendar.ts';
import type { Control, Repetition } from '../content/control.ts';
import type { DemoFramework } from '../content/framework.ts';
import { REPETITIONS } from '../content/control.ts';
import { COMMENTS, REPORTED } from '../content/talk.ts';
import { Story } from '../world.ts';
import { changeTask, fieldsOf, ownerOf, prove, sayOnTask } from './work.ts';
import type { DemoTask } from './work.ts';

/** Final states of the tasks that do not end for a reason, one after the other. */
const OUTCOMES = [
  'done',
  'in_progress',
  'done',
  'todo',
  'done',
  'in_review',
  'done',
  'in_progress',
  'done',
  'todo',
  'done',
  'in_review',
  'todo',
  'done',
  'in_progress',
  'done',
  'in_review',
  'done',
  'todo',
  'in_progress',
] as const;

export interface Plan {
  calendar: Calendar;
  random: Random;
}

/** The story of the task of a control, from its creation to its present state. @param index among the controls of the framework */
export function taskStory(
  control: Control,
  framework: DemoFramework,
  index: number,
  { calendar, random }: Plan,
): Story {
  const outcome = control.end?.status ?? OUTCOMES[(index * 7 + framework.name.length) % OUTCOMES.length] ?? 'todo';
  const task: DemoTask = { control, owner: ownerOf(control, random), uniqueId: '' };
  const createdAgo = framework.begunDaysAgo - 4 - index * (24 / framework.controls.length);
  // The person who closes them reviews them.
  const isReviewed = control.priority <= 2 && control.end === undefined && task.owner !== 'mara';
  const isOpen = outcome === 'todo' || outcome === 'in_progress' || outcome === 'in_review';
  const endAgo = isOpen ? 0 : random.between(2, Math.round(createdAgo * 0.85));
  const dueIn = isOpen ? dueOfOpen(outcome, random) : random.between(-4, 12) - endAgo;
  const isAssignedLater = random.chance(0.15);
  const hasNobody = outcome === 'todo' && random.chance(0.3);
  const story = new Story().add(calendar.workTime(createdAgo), 'mara', async (world, step) => {
    const assigneeId = isAssignedLater || hasNobody ? null : world.user(task.owner);
    const reviewed = isReviewed ? { reviewerId: world.user('mara'), needsEvidence: true } : {};
    const fields = { ...fieldsOf(control, framework, world), ...reviewed, dueDate: calendar.date(dueIn), assigneeId };
    task.uniqueId = (await world.act(step, (caller) => caller.task.create(fields))).uniqueId;
    world.tasks.push(task);
  });
  if (isAssignedLater && !hasNobody)
    story.add(calendar.workTime(createdAgo - random.between(1, 20)), 'mara', (world, step) =>
      world.act(step, (caller) =>
        caller.task.update({ taskUniqueId: task.uniqueId, assigneeId: world.user(task.owner) }),
      ),
    );
  if (outcome === 'todo')
    return dueIn < 0 ? sayOnTask(story, task, calendar.workTime(2), random.pick(COMMENTS.late), 'mara') : story;
  const reviewAgo = outcome === 'in_review' ? random.between(1, 12) : endAgo + random.between(1, 6);
  const begunAgo = Math.min(createdAgo - 2, (isOpen ? reviewAgo : endAgo) + random.between(6, 40));
  if (control.end === undefined) {
    changeTask(story, task, calendar.workTime(begunAgo), {
      status: 'in_progress',
      startDate: calendar.date(-Math.round(begunAgo)),
    });
    if (random.chance(0.6))
      sayOnTask(story, task, calendar.workTime(begunAgo - random.between(0, 3)), random.pick(COMMENTS.begun));
  }
  if (outcome === 'in_progress') return story;
  if (outcome === 'in_review' || (outcome === 'done' && random.chance(0.6))) {
    changeTask(story, task, calendar.workTime(reviewAgo), { status: 'in_review' });
    if (outcome === 'in_review') prove(story, task, calendar.workTime(reviewAgo), random);
    if (random.chance(0.7)) sayOnTask(story, task, calendar.workTime(reviewAgo), random.pick(COMMENTS.asked));
  }
  if (outcome === 'in_review') return story;
  const end = calendar.workTime(endAgo);
  if (control.end !== undefined) sayOnTask(story, task, end, `<p>${control.end.reason}</p>`);
  else {
    if (random.chance(0.9) || isReviewed) prove(story, task, end, random);
    if (random.chance(0.5)) sayOnTask(story, task, end, random.pick(COMMENTS.done));
  }
  return changeTask(story, task, end, { status: outcome }, outcome === 'done' ? 'mara' : task.owner);
}

/** Days from today to the due date. Some tasks are late. */
function dueOfOpen(outcome: 'todo' | 'in_progress' | 'in_review', random: Random): number {
  if (outcome === 'todo') return random.chance(0.15) ? -random.between(1, 15) : random.between(6, 110);
  return outcome === 'in_progress' ? random.between(-9, 32) : random.between(-3, 14);
}

/** Stories of the tasks that keys report. They belong to a framework. */
export const reportedStories = (framework: Pick<DemoFramework, 'name'>, { calendar }: Plan): Story[] =>
  REPORTED.map(({ actor, title, priority, daysAgo }) =>
    new Story().add(calendar.workTime(daysAgo), actor, (world, step) =>
      world.act(step, (caller) =>
        caller.task.create({
          framework: world.frameworks.get(framework.name) ?? 0,
          title,
          priority,
          labels: [actor === 'scanner' ? 'vulnerabilities' : 'customers'],
          dueDate: calendar.date(14 - daysAgo),
          assigneeId: world.user(actor === 'scanner' ? 'jonas' : 'priya'),
        }),
      ),
    ),
  );

/** Maximum number of tasks of a series that are done. */
const MAX_DONE: Readonly<Record<Repetition, number>> = { month: 5, quarter: 3, halfYear: 1 };
const DAYS_OF_MONTH = 30.5;
/** Days from the start date to the due date. */
const LEAD_DAYS = 14;

/** The story of a control that recurs: some tasks are done, and the last one is open. Closing each makes the next one. */
export function seriesStory(
  control: Control & { every: Repetition },
  framework: DemoFramework,
  { calendar, random }: Plan,
): Story {
  const { rule, months } = REPETITIONS[control.every];
  const fitting = Math.floor((framework.begunDaysAgo - 20) / (months * DAYS_OF_MONTH));
  const done = Math.min(MAX_DONE[control.every], fitting);
  const monthOfOpen = random.between(0, months - 1);
  const dueDates = Array.from({ length: done + 1 }, (_, index) =>
    calendar.monthEnd(monthOfOpen - (done - index) * months),
  );
  const [firstDue = calendar.monthEnd(0), ...laterDue] = dueDates;
  const task: DemoTask = { control, owner: ownerOf(control, random), uniqueId: '' };
  const firstAgo = calendar.daysSince(firstDue);
  const createdAgo = Math.min(framework.begunDaysAgo - 5, firstAgo + random.between(25, 60));
  const story = new Story().add(calendar.workTime(createdAgo), 'mara', async (world, step) => {
    const fields = {
      ...fieldsOf(control, framework, world),
      startDate: calendar.date(-firstAgo - LEAD_DAYS),
      dueDate: firstDue,
      recurrence: rule,
      assigneeId: world.user(task.owner),
    };
    task.uniqueId = (await world.act(step, (caller) => caller.task.create(fields))).uniqueId;
    world.tasks.push(task);
  });
  for (const dueDate of dueDates.slice(0, done)) {
    const dueAgo = calendar.daysSince(dueDate);
    const closedAgo = dueAgo > 6 && random.chance(0.2) ? dueAgo - random.between(1, 4) : dueAgo + random.between(0, 5);
    changeTask(story, task, calendar.workTime(closedAgo + random.between(2, 7)), { status: 'in_progress' });
    const closedAt = calendar.workTime(closedAgo);
    prove(story, task, closedAt, random);
    if (random.chance(0.4)) sayOnTask(story, task, closedAt, random.pick(COMMENTS.done));
    story.add(closedAt, task.owner, async (world, step) => {
      const { next } = await world.act(step, (caller) =>
        caller.task.update({ taskUniqueId: task.uniqueId, status: 'done' }),
      );
      if (next === null) throw new Error(`demo: ${control.title}: expected a next task`);
      task.uniqueId = next;
    });
  }
  const openDue = laterDue.at(-1) ?? firstDue;
  if (calendar.daysSince(openDue) < -20) return story;
  changeTask(story, task, calendar.workTime(random.between(1, 4)), { status: 'in_progress' });
  return random.chance(0.6) ? sayOnTask(story, task, calendar.workTime(1), random.pick(COMMENTS.begun)) : story;
}

/** True for a control that recurs. */
export const recurs = (control: Control): control is Control & { every: Repetition } => control.every !== undefined;
