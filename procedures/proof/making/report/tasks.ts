import type { RegisterRow } from '../registers.ts';
import type { Collected, ReportRecord } from './collect.ts';
import type { Report, Section } from './context.ts';
import {
  TABLE_END,
  markup,
  note,
  tableRow,
  tableStart,
  dateText,
  daysBetween,
  compareText,
  countText,
  isEmpty,
  numberText,
  personText,
  priorityText,
  statusText,
} from './text.ts';
import type { Html } from './text.ts';
import { isOpen, isOverdue } from './posture.ts';
import { recordHtml } from './record.ts';
import type { Fact } from './record.ts';

/** Position by due date; tasks without one are the last. */
const dueDateOf = ({ row: { dueDate } }: ReportRecord): string => (typeof dueDate === 'string' ? dueDate : '9999');

/** Tasks that a short list has, and its order. */
export const SHORT_TASKS = {
  isListed: isOpen,
  compare: (a: ReportRecord, b: ReportRecord): number =>
    compareText(dueDateOf(a), dueDateOf(b)) || compareText(a.uniqueId, b.uniqueId),
};

/** The due date, with the days since then if the task is overdue. */
function dueText(row: RegisterRow, today: string): string | Html {
  const { dueDate } = row;
  if (typeof dueDate !== 'string') return 'none';
  if (!isOverdue(row, today)) return dateText(dueDate);
  return markup`${dateText(dueDate)} <b>${countText(daysBetween(dueDate, today), 'day')} overdue</b>`;
}

/** The tasks that have a record each, by framework. */
const byFramework = ({ isShort, records }: Collected) =>
  isShort ? [] : [...Map.groupBy(records, ({ row }) => row['framework'])].toSorted(([a], [b]) => Number(a) - Number(b));

/** Numbers of the records of tasks, by id. */
export const taskNumbers = (tasks: Collected): ReadonlyMap<string, number> =>
  new Map(
    byFramework(tasks)
      .flatMap(([, records]) => records)
      .map(({ uniqueId }, index) => [uniqueId, index + 1]),
  );

export function tasksSection(report: Report, collected: Collected): Section {
  const { isShort, records, total, listed } = collected;
  const title = 'Tasks';
  if (isShort) return { id: 'tasks', title, content: () => shortList(report, { records, total, listed }) };
  const nameOf = (id: unknown) => report.registers.names.framework.get(id) ?? `Framework ${String(id)}`;
  const frameworks = byFramework(collected);
  const parts = frameworks.map(([id]) => ({ id: `framework-${String(id)}`, title: nameOf(id) }));
  const content = async function* () {
    let number = 0;
    for (const [index, [, tasks]] of frameworks.entries()) {
      const part = parts[index] ?? { id: '', title: '' };
      yield markup`<h3 id="${part.id}">${part.title}</h3>\n`;
      yield* taskIndex(report, tasks, number);
      for (const task of tasks) yield* taskRecord(report, task, (number += 1));
    }
  };
  return { id: 'tasks', title, parts, content };
}

function* taskIndex({ contents: { people }, today }: Report, tasks: readonly ReportRecord[], start: number) {
  yield tableStart(['No.', 'Task', 'Status', 'Assignee', 'Due date'], 'i');
  for (const [index, { row, name }] of tasks.entries()) {
    const number = start + index + 1;
    yield tableRow([
      number,
      markup`<a href="#t${number}">${name}</a>`,
      statusText(row['status']),
      personText(row['assignee'], people),
      dueText(row, today),
    ]);
  }
  yield TABLE_END;
}

function taskRecord(report: Report, task: ReportRecord, number: number) {
  const { uniqueId, name, row, statusBefore } = task;
  const { contents, registers, values, today, times } = report;
  const { people } = contents;
  const withNames = registers.withNames(row);
  const dated = (field: string): Fact[] =>
    typeof row[field] === 'string' ? [[field === 'startDate' ? 'Start date' : 'Due date', dateText(row[field])]] : [];
  const facts: Fact[] = [
    ['Status at the start', statusBefore === null ? 'not there yet' : statusText(statusBefore)],
    ['Status at the end', markup`<strong>${statusText(row['status'])}</strong>`],
    ...closingFact(report, task),
    ['Assignee', personText(row['assignee'], people)],
    ...(isEmpty(row['reviewer']) ? [] : [['Reviewer', personText(row['reviewer'], people)] satisfies Fact]),
    ...(row['needsEvidence'] === true ? [['Needs evidence', 'yes'] satisfies Fact] : []),
    ['Priority', priorityText(row['priority'])],
    ...dated('startDate'),
    ['Due date', dueText(row, today)],
    ['Department', values.text('name', withNames['departmentName'], people)],
    ['Created', `${times.text(String(row['createdAt']))} by ${personText(row['createdBy'], people)}`],
    ...namesFact('Gaps', row['gaps'], registers.names.gap),
    ...namesFact('Requirements', row['requirements'], registers.names.requirement),
    ...seriesFacts(report, row),
    ['uniqueId', markup`<code>${uniqueId}</code>`],
  ];
  const heading = markup`<h4 id="t${number}">${number}. ${name}</h4>`;
  return recordHtml(report, { type: 'task', uniqueId, heading, facts });
}

function closingFact({ contents: { people }, times }: Report, { closing }: ReportRecord): Fact[] {
  if (closing === undefined) return [];
  return [['Closed', `${times.text(closing.at)} by ${personText(people.get(closing.user), people)}`]];
}

/** The names of the objects that a task refers to, if there are any. */
function namesFact(name: string, ids: unknown, names: ReadonlyMap<unknown, string>): Fact[] {
  if (!Array.isArray(ids) || isEmpty(ids)) return [];
  return [[name, ids.map((id: unknown) => names.get(id) ?? String(id)).join('; ')]];
}

/** The vendors of a task, and its recurrence. */
function seriesFacts({ vendorNames }: Report, { vendors, recurrence, previous }: RegisterRow): Fact[] {
  const names = Array.isArray(vendors) ? vendors.map((id: unknown) => vendorNames.get(id) ?? String(id)) : [];
  return [
    ...(names.length > 0 ? [['Vendors', names.join('; ')] satisfies Fact] : []),
    ...(typeof recurrence === 'string' ? [['Recurrence', markup`<code>${recurrence}</code>`] satisfies Fact] : []),
    ...(typeof previous === 'string' ? [['Task before it', markup`<code>${previous}</code>`] satisfies Fact] : []),
  ];
}

/** One row for each task that is not closed. */
function* shortList(report: Report, { records, total, listed }: Pick<Collected, 'records' | 'total' | 'listed'>) {
  const { contents, registers, today, limits } = report;
  const first = listed > records.length ? `: the first ${numberText(records.length)} of ${numberText(listed)}` : '';
  yield note(
    `The proof has ${numberText(total)} tasks. Above ${numberText(limits.records)} tasks this report has only those that are open, by due date, ` +
      `without their changes and evidence${first}. All tasks are in tasks.csv, their evidence is in evidence.ndjson, and their changes are in events.ndjson.`,
  );
  if (records.length === 0) return;
  yield tableStart(['Task', 'Framework', 'Status', 'Priority', 'Assignee', 'Due date'], 'i');
  for (const { row, name } of records)
    yield tableRow([
      name,
      registers.names.framework.get(row['framework']) ?? '',
      statusText(row['status']),
      priorityText(row['priority']),
      personText(row['assignee'], contents.people),
      dueText(row, today),
    ]);
  yield TABLE_END;
}
