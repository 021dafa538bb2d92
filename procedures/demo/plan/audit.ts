import { ACCEPTED_NOTES, QUESTIONS, REJECTIONS, SAMPLE, VENDOR_QUESTION } from '../content/audit.ts';
import { MEMBERS } from '../content/people.ts';
import type { MemberName } from '../content/people.ts';
import type { DemoFramework } from '../content/framework.ts';
import { Story } from '../world.ts';
import type { World } from '../world.ts';
import type { Plan } from './tasks.ts';

const AUDITOR = 'theo';
/** Days before today on which the auditor draws the sample, and on which the last task of it is looked at. */
const DAYS_AGO = { sample: 14, last: 2 } as const;

/** The name of a member; the admin's name if it is nobody. */
const actorOf = (world: World, uniqueId: string | undefined): MemberName =>
  MEMBERS.find(({ actor }) => world.user(actor) === uniqueId)?.actor ?? 'mara';

/** An audit that is under way: a sample of closed tasks, of which most are accepted, one is rejected, and some raise questions. */
export function auditStory({ name }: Pick<DemoFramework, 'name'>, { calendar, random }: Plan): Story {
  const story = new Story();
  let sample: { uniqueId: string; assignee: { uniqueId: string } | null }[] = [];
  story.add(calendar.workTime(DAYS_AGO.sample), AUDITOR, async (world) => {
    const framework = String(world.frameworks.get(name));
    const caller = world.demo.now(world.principal(AUDITOR));
    const { items } = await caller.task.listAll({
      framework,
      status: 'done',
      evidence: 'some',
      sort: 'sample',
      seed: SAMPLE.seed,
      limit: SAMPLE.size,
    });
    sample = items ?? [];
  });
  const days = (DAYS_AGO.sample - DAYS_AGO.last) / SAMPLE.size;
  for (let index = 0; index < SAMPLE.size; index += 1) {
    const daysAgo = DAYS_AGO.sample - 1 - index * days;
    const at = calendar.workTime(daysAgo);
    const rejection = REJECTIONS[index];
    const note = rejection ?? random.pick(ACCEPTED_NOTES);
    story.add(at, AUDITOR, (world, step) =>
      world.act(step, async (caller) => {
        const taskUniqueId = sample[index]?.uniqueId ?? '';
        const { items } = await caller.evidence.list({ taskUniqueId });
        const result = rejection === undefined ? 'accepted' : 'rejected';
        for (const { uniqueId } of items) await caller.evidence.check({ evidence: uniqueId, result, note });
      }),
    );
    const question = QUESTIONS[index];
    if (question === undefined) continue;
    let asked = '';
    story.add(at, AUDITOR, async (world, step) => {
      const fields = { taskUniqueId: sample[index]?.uniqueId ?? '', kind: 'question', text: question.text } as const;
      asked = (await world.act(step, (caller) => caller.comment.create(fields))).uniqueId;
    });
    const { answer, isResolved = false } = question;
    if (answer === undefined) continue;
    story.add(calendar.workTime(daysAgo - 1), AUDITOR, (world, { at: answeredAt }) => {
      const { uniqueId = '', assignee } = sample[index] ?? {};
      const by = actorOf(world, assignee?.uniqueId);
      return world.act({ at: answeredAt, by }, (caller) =>
        caller.comment.create({ taskUniqueId: uniqueId, text: answer, replyTo: asked }),
      );
    });
    if (isResolved)
      story.add(calendar.workTime(daysAgo - 1), AUDITOR, (world, step) =>
        world.act(step, (caller) => caller.comment.resolve({ comment: asked })),
      );
  }
  return story;
}

/** The auditor asks about the first vendor that holds data of customers. */
export const vendorQuestionStory = ({ calendar }: Plan): Story =>
  new Story().add(calendar.workTime(5), AUDITOR, (world, step) =>
    world.act(step, (caller) =>
      caller.comment.create({ vendor: world.vendors[0]?.uniqueId ?? '', kind: 'question', text: VENDOR_QUESTION }),
    ),
  );
