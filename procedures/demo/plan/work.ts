import { dateOf } from '../calendar.ts';
import type { Control } from '../content/control.ts';
import type { DemoFramework } from '../content/framework.ts';
import { MEMBERS, OWNERS } from '../content/people.ts';
import type { MemberName } from '../content/people.ts';
import { EVIDENCE_NAMES, REPORT_LINES } from '../content/talk.ts';
import { createPdf, createChart } from '../files.ts';
import type { DemoCaller } from '../past.ts';
import type { Random } from '../calendar.ts';
import type { DemoFile, Parent, World, Step, Story } from '../world.ts';

type NewTask = Parameters<DemoCaller['task']['create']>[0];
type TaskChanges = Omit<Parameters<DemoCaller['task']['update']>[0], 'taskUniqueId'>;

/** A task of the story. */
export interface DemoTask {
  control: Pick<Control, 'title' | 'department'>;
  owner: MemberName;
  /** Set by the step that creates it. */
  uniqueId: string;
}

/** Owner of most tasks of the department. Some have another one. */
export const ownerOf = ({ department }: Pick<Control, 'department'>, random: Random): MemberName =>
  random.chance(0.8) ? OWNERS[department] : random.pick(['mara', 'jonas', 'priya']);

/** Fields of the task of a control. */
export const fieldsOf = (
  { title, text, priority, label, department, gap, vendors }: Control,
  { name }: Pick<DemoFramework, 'name'>,
  world: World,
): NewTask => ({
  framework: world.frameworks.get(name) ?? 0,
  title,
  description: `<p>${text}</p>`,
  priority,
  labels: [label],
  departmentId: world.departments.get(department) ?? null,
  gaps: gap === undefined ? [] : [world.gaps.get(gap) ?? 0],
  vendors: world.vendorsWith(vendors),
  requirements: world.requirementsOf(title),
});

export const changeTask = (story: Story, task: DemoTask, at: Date, changes: TaskChanges, by = task.owner): Story =>
  story.add(at, by, (world, step) =>
    world.act(step, (caller) => caller.task.update({ taskUniqueId: task.uniqueId, ...changes })),
  );

/** Adds a comment. `@` in the text becomes the mention of a colleague. */
export function say(
  story: Story,
  { at, by }: Pick<Step, 'at'> & { by: MemberName },
  parent: (world: World) => Parent,
  text: string,
): Story {
  const colleague = MEMBERS.find(({ actor, role }) => actor !== by && role !== 'auditor');
  const isMention = text.includes('@') && colleague !== undefined;
  return story.add(at, by, (world, step) =>
    world.act(step, (caller) =>
      caller.comment.create({
        ...parent(world),
        text: isMention ? text.replace('@', `@${colleague.name}`) : text,
        mentions: isMention ? [world.user(colleague.actor)] : [],
      }),
    ),
  );
}

export const sayOnTask = (story: Story, task: DemoTask, at: Date, text: string, by = task.owner): Story =>
  say(story, { at, by }, () => ({ taskUniqueId: task.uniqueId }), text);

/** Attaches a report, and sometimes a picture or a link. */
export function prove(story: Story, task: DemoTask, at: Date, random: Random): Story {
  const parent = () => ({ taskUniqueId: task.uniqueId });
  const report = reportFile(task.control.title, dateOf(at), random);
  story.add(at, task.owner, (world, step) => world.attach(step, parent(), report));
  if (random.chance(0.3)) {
    const chart = chartFile(dateOf(at), random);
    story.add(at, task.owner, (world, step) => world.attach(step, parent(), chart));
  }
  if (random.chance(0.2)) {
    const name = random.pick(EVIDENCE_NAMES.link);
    const url = `https://wiki.example/pages/${random.between(1000, 9999)}`;
    story.add(at, task.owner, (world, step) =>
      world.act(step, (caller) => caller.evidence.link({ ...parent(), name, url, date: dateOf(at) })),
    );
  }
  return story;
}

export function reportFile(title: string, date: string, random: Random): DemoFile {
  const kind = random.pick(EVIDENCE_NAMES.report);
  const lines = [`Date: ${date}`, `Document: ${kind} ${random.between(100, 999)}`, ...REPORT_LINES];
  return { name: `${kind} ${date}.pdf`, mediaType: 'application/pdf', bytes: createPdf(title, lines) };
}

function chartFile(date: string, random: Random): DemoFile {
  const bars = Array.from({ length: 12 }, () => random.between(15, 100) / 100);
  return {
    name: `${random.pick(EVIDENCE_NAMES.picture)} ${date}.png`,
    mediaType: 'image/png',
    bytes: createChart(bars),
  };
}
