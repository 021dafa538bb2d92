import { REPETITIONS } from '../content/control.ts';
import type { Control, DemoFramework, Repetition } from '../content/control.ts';
import { COMMENTS } from '../content/talk.ts';
import { Story } from '../story.ts';
import type { Plan } from './tasks.ts';
import { changeTask, fieldsOf, ownerOf, prove, sayOnTask } from './work.ts';
import type { DemoTask } from './work.ts';

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
