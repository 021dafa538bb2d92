import { pipelinedRead } from '../statements/define-statement.ts';
import type { Statement } from '../statements/define-statement.ts';

/** Condition: the company has all these distinct frameworks, or there are none. */
export const hasFrameworks = (company: string, frameworks: string) =>
  `(${frameworks}::int[] is null or (select count(*) from framework f
    where f.company_id = ${company} and f.id = any(${frameworks})) = cardinality(${frameworks}::int[]))`;

type TaskCount = Statement<{ frameworks: readonly number[] | null }, { total: number | null }>;

/** Total of one framework. It is null if the company has no such framework. */
export const countTasksOfOne: TaskCount = pipelinedRead('task.count-one', ({ company, frameworks }) => {
  const framework = `(${frameworks}::int[])[1]`;
  return `select case when exists (select from framework f where f.company_id = ${company} and f.id = ${framework})
    then (select coalesce(sum(c.tasks), 0)::int from task_count c where c.company_id = ${company} and c.framework_id = ${framework}) end as total`;
});

/** Total of the frameworks, or of all without any. It is null if the company lacks one of them. */
export const countTasks: TaskCount = pipelinedRead(
  'task.count',
  ({ company, frameworks }) =>
    `select case when ${hasFrameworks(company, frameworks)} then (select coalesce(sum(c.tasks), 0)::int from task_count c
      where c.company_id = ${company} and (${frameworks}::int[] is null or c.framework_id = any(${frameworks}))) end as total`,
);
