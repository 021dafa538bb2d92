import { foldCase } from '../../../../entities/fold-case.ts';
import { REQUIREMENT_STATUSES } from '../../../../entities/requirement/requirement.ts';
import { toIso } from '../../../../entities/statements/change-metadata.ts';
import type { ResourceEvents } from '../paging.ts';
import type { RegisterRow } from '../registers.ts';
import type { Collected, ReportRecord } from './collect.ts';
import type { Report, Section } from './context.ts';
import { isOverdue } from './posture.ts';
import { EVIDENCE_HEADS, evidenceCells, factList } from './record.ts';
import type { Fact } from './record.ts';
import { taskNumbers } from './tasks.ts';
import {
  NOTHING,
  TABLE_END,
  compareText,
  countText,
  dateText,
  isEmpty,
  markup,
  note,
  numberText,
  personText,
  shortened,
  statusText,
  tableRow,
  tableStart,
} from './text.ts';
import type { Html } from './text.ts';

/** Tasks, and pieces of evidence, that are listed with one requirement. */
const MAX_LISTED = 20;
const MAX_NAME_LENGTH = 120;

/** Statuses of requirements that need work. */
const UNMET: ReadonlySet<unknown> = new Set(['partly_met', 'not_met', 'not_assessed']);

/** A text whose order is that of refs: `requirement_order` in the database. */
const refOrder = (ref: unknown): string =>
  foldCase(String(ref)).replaceAll(/\d+/g, (digits) => digits.replace(/^0+/, '').padStart(50, '0'));

/** The order of lists, by framework. */
const compareRequirements = ({ row: a, uniqueId }: ReportRecord, { row: b, uniqueId: other }: ReportRecord): number =>
  Number(a['framework']) - Number(b['framework']) ||
  Number(a['position']) - Number(b['position']) ||
  compareText(refOrder(a['ref']), refOrder(b['ref'])) ||
  compareText(uniqueId, other);

/** Requirements that a short list has, and its order. */
export const SHORT_REQUIREMENTS = {
  isListed: ({ status }: RegisterRow): boolean => UNMET.has(status),
  compare: compareRequirements,
};

/** An assessment as events and registers have it. */
interface RecordedAssessment {
  result: unknown;
  note: string;
  at: string;
  by: unknown;
}

const isAssessment = (value: unknown): value is RecordedAssessment =>
  typeof value === 'object' && value !== null && 'result' in value && 'at' in value && 'by' in value && 'note' in value;

/** An assessment in the period, or its withdrawal. */
interface PastAssessment {
  requirement: string;
  at: string;
  user: string;
  sequence: number;
  text: string;
}

/** Rows of what belongs to a requirement: the first ones, and the number of all. */
class Listed {
  total = 0;
  readonly rows: RegisterRow[] = [];

  add(row: RegisterRow): void {
    this.total += 1;
    if (this.rows.length < MAX_LISTED) this.rows.push(row);
  }

  /** @param where the file of the proof that has the rest */
  toHtml(htmlOf: (row: RegisterRow) => Html, where: string): Html {
    const rest = this.total - this.rows.length;
    const more = rest > 0 ? markup`${countText(rest, 'more', 'more')} in ${where}<br>` : NOTHING;
    return markup`${this.rows.map((row) => markup`${htmlOf(row)}<br>`)}${more}`;
  }
}

/** The statements of applicability: the requirements of each framework, with assessments, linked tasks and evidence. */
export class Applicability {
  readonly #report: Report;
  /** Numbers of requirements by framework and status. Headings have no status. */
  readonly #tallies = new Map<unknown, Map<unknown, number>>();
  /** The first assessments that were read, as many as the report may have records. */
  readonly #assessments: PastAssessment[] = [];
  #assessmentTotal = 0;
  readonly #tasks = new Map<unknown, Listed>();
  readonly #evidence = new Map<unknown, Listed>();
  #collected: Collected | undefined;

  constructor(report: Report) {
    this.#report = report;
  }

  /** Counts a requirement as it is at the end of the period. */
  count({ framework, status }: RegisterRow): void {
    const tally = this.#tallies.get(framework) ?? new Map<unknown, number>();
    this.#tallies.set(framework, tally);
    tally.set(status, (tally.get(status) ?? 0) + 1);
  }

  /** Reads the events of a requirement, also of a deleted one. */
  read({ events }: ResourceEvents, requirement: string): void {
    const { contents, limits } = this.#report;
    for (const { action, occurredAt, sequence, changes, user } of events) {
      const at = toIso(occurredAt);
      const isInPeriod = at <= contents.asOf && (contents.from === null || at >= contents.from);
      if (action !== 'requirement.assess' || !isInPeriod) continue;
      this.#assessmentTotal += 1;
      if (this.#assessments.length >= limits.records) continue;
      const given: unknown = Reflect.get(Object(changes['assessment']), 'to');
      const text = isAssessment(given) ? statusText(given.result) + quoted(given.note) : 'Assessment withdrawn';
      this.#assessments.push({ requirement, at, user, sequence, text });
    }
  }

  /** Receives the requirements, whose tasks and evidence are then kept. */
  receive(collected: Collected): void {
    this.#collected = collected;
    for (const { uniqueId } of collected.records) {
      this.#tasks.set(uniqueId, new Listed());
      this.#evidence.set(uniqueId, new Listed());
    }
  }

  /** Receives a task. */
  addTask({ uniqueId, title, status, dueDate, requirements }: RegisterRow): void {
    if (!Array.isArray(requirements)) return;
    const task = { uniqueId, title, status, dueDate };
    for (const id of requirements) this.#tasks.get(id)?.add(task);
  }

  /** Number of requirements of all frameworks with a status. */
  of(status: unknown): number {
    return [...this.#tallies.values()].reduce((sum, tally) => sum + (tally.get(status) ?? 0), 0);
  }

  section(tasks: Collected): Section {
    const records = (this.#collected?.records ?? []).toSorted(compareRequirements);
    const { framework } = this.#report.registers.names;
    const byFramework = Map.groupBy(records, ({ row }) => row['framework']);
    const ids = [...this.#tallies.keys()].toSorted((a, b) => Number(a) - Number(b));
    const parts = ids.map((id) => ({
      framework: id,
      id: `applicability-${String(id)}`,
      title: framework.get(id) ?? `Framework ${String(id)}`,
    }));
    const content = async function* (this: Applicability): AsyncGenerator<Html> {
      yield* this.#limits();
      const frameworks = await this.#readFrameworks();
      await this.#readEvidence();
      const numbers = taskNumbers(tasks);
      for (const part of parts) {
        yield markup`<h3 id="${part.id}">${part.title}</h3>\n`;
        yield factList(this.#factsOf(part.framework, frameworks.get(part.framework) ?? {}), 'facts');
        const ofPart = byFramework.get(part.framework) ?? [];
        yield* this.#statement(ofPart, numbers);
        yield* this.#evidenceTable(ofPart);
      }
      yield* this.#inPeriod();
    };
    return { id: 'applicability', title: 'Statement of applicability', parts, content: content.bind(this) };
  }

  *#limits(): Generator<Html> {
    const { total = 0, listed = 0, records = [], isShort = false } = this.#collected ?? {};
    if (!isShort) return;
    const first = listed > records.length ? `: the first ${numberText(records.length)} of ${numberText(listed)}` : '';
    yield note(
      `The proof has ${numberText(total)} requirements. Above ${numberText(this.#report.limits.records)} requirements this report has only those ` +
        `that apply and are not met${first}. All are in requirements.csv.`,
    );
  }

  async #readFrameworks(): Promise<ReadonlyMap<unknown, RegisterRow>> {
    const rows = new Map<unknown, RegisterRow>();
    for await (const { row } of this.#report.registers.read('framework')) rows.set(row['id'], row);
    return rows;
  }

  async #readEvidence(): Promise<void> {
    for await (const { row } of this.#report.registers.read('evidence')) {
      const { name, date, validUntil, size, check, sha256, url, resource } = row;
      const requirement: unknown = Reflect.get(Object(resource), 'uniqueId');
      this.#evidence.get(requirement)?.add({ name, date, validUntil, size, check, sha256, url });
    }
  }

  #factsOf(id: unknown, { owner, auditDate }: RegisterRow): Fact[] {
    const tally = this.#tallies.get(id) ?? new Map<unknown, number>();
    return [
      ['Owner', personText(owner, this.#report.contents.people)],
      ['Next audit', typeof auditDate === 'string' ? dateText(auditDate) : 'no date'],
      ...REQUIREMENT_STATUSES.map((status): Fact => [statusText(status), numberText(tally.get(status) ?? 0)]),
    ];
  }

  *#statement(records: readonly ReportRecord[], numbers: ReadonlyMap<string, number>): Generator<Html> {
    yield tableStart(['Ref', 'Requirement', 'Applies, and why', 'Status', 'Owner', 'Tasks and evidence'], 's');
    for (const { uniqueId, row, statusBefore } of records) {
      const { ref, title, assessable, applicable, justification } = row;
      if (assessable === false) {
        yield markup`<tr class="h"><td>${String(ref)}<td colspan="5">${String(title)}\n`;
        continue;
      }
      const why = isEmpty(justification) ? NOTHING : markup`: ${String(justification)}`;
      yield tableRow([
        String(ref),
        String(title),
        markup`${applicable === true ? 'Yes' : 'No'}${why}`,
        this.#statusHtml(row, statusBefore),
        personText(row['owner'], this.#report.contents.people),
        this.#workHtml(uniqueId, numbers),
      ]);
    }
    yield TABLE_END;
  }

  /** The status, the last assessment, and the status at the start if it was another. */
  #statusHtml({ status, assessment }: RegisterRow, statusBefore: unknown): Html {
    const { contents, times } = this.#report;
    const before = statusBefore === null ? 'not there yet' : statusText(statusBefore);
    const start = contents.from === null || statusBefore === status ? NOTHING : markup`<br>At the start: ${before}`;
    if (!isAssessment(assessment)) return markup`<strong>${statusText(status)}</strong>${start}`;
    const { result, at, by, note: text } = assessment;
    const words = result === status ? 'Assessed' : `${statusText(result)} when assessed`;
    const who = personText(by, contents.people);
    return markup`<strong>${statusText(status)}</strong><br>${words} ${times.text(at)} by ${who}${quoted(text)}${start}`;
  }

  #workHtml(uniqueId: string, numbers: ReadonlyMap<string, number>): Html {
    const { today, linkTo } = this.#report;
    const taskHtml = (task: RegisterRow) => {
      const { status, dueDate } = task;
      const number = numbers.get(String(task['uniqueId']));
      const title = shortened(String(task['title']), MAX_NAME_LENGTH);
      const link = number === undefined ? title : markup`<a href="#t${number}">${title}</a>`;
      const due = typeof dueDate === 'string' ? markup`, due ${dateText(dueDate)}` : NOTHING;
      const overdue = isOverdue(task, today) ? markup`, <b>overdue</b>` : NOTHING;
      return markup`${link}: ${statusText(status)}${due}${overdue}`;
    };
    const evidenceHtml = ({ sha256, name }: RegisterRow) =>
      markup`${linkTo(sha256, shortened(String(name), MAX_NAME_LENGTH))}`;
    const tasks = this.#tasks.get(uniqueId)?.toHtml(taskHtml, 'tasks.csv') ?? NOTHING;
    const evidence = this.#evidence.get(uniqueId)?.toHtml(evidenceHtml, 'evidence.ndjson') ?? NOTHING;
    return markup`${tasks}${evidence}`;
  }

  /** The evidence of the requirements themselves. That of their tasks is with the tasks. */
  *#evidenceTable(records: readonly ReportRecord[]): Generator<Html> {
    const rows = records.flatMap(({ uniqueId, row: { ref } }) =>
      (this.#evidence.get(uniqueId)?.rows ?? []).map((row) =>
        tableRow([String(ref), ...evidenceCells(this.#report, row)]),
      ),
    );
    if (rows.length === 0) return;
    yield markup`<h4>Evidence of requirements</h4>\n`;
    yield tableStart(['Ref', ...EVIDENCE_HEADS], 'r');
    yield* rows;
    yield TABLE_END;
  }

  *#inPeriod(): Generator<Html> {
    const { contents, times } = this.#report;
    yield markup`<h3>Assessments in the period</h3>\n`;
    if (this.#assessmentTotal === 0) {
      yield note('No assessment in the period.');
      return;
    }
    const rest = this.#assessmentTotal - this.#assessments.length;
    if (rest > 0) yield note(`${numberText(rest)} more are only in events.ndjson.`);
    yield tableStart(['Time', 'Person', 'Requirement', 'Assessment'], 'c');
    for (const { at, user, requirement, text, sequence } of this.#assessments.toSorted(
      (a, b) => a.sequence - b.sequence,
    )) {
      const names = contents.people.at(sequence);
      yield tableRow([times.text(at), personText(names.get(user), names), requirement, text]);
    }
    yield TABLE_END;
  }
}

const quoted = (text: string): string => (text === '' ? '' : `: “${text}”`);
