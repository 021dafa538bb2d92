import { htmlToText, oneLine } from '../../../core/html.ts';
import type { RegisterRow } from '../registers.ts';
import type { Collected } from './collect.ts';
import type { Report, Section } from './context.ts';
import {
  NOTHING,
  TABLE_END,
  countText,
  markup,
  note,
  numberText,
  personText,
  shortened,
  tableRow,
  tableStart,
} from './text.ts';
import type { Html } from './text.ts';

/** Characters of a question or an answer. */
const MAX_TEXT_LENGTH = 500;
/** Answers that are listed with one question. */
const MAX_ANSWERS = 10;

interface Question {
  row: RegisterRow;
  answers: RegisterRow[];
  /** Answers beyond those that are listed. */
  more: number;
}

/** The questions of the register with their answers, oldest first. */
export function questionsSection(report: Report, collections: readonly Collected[]): Section {
  const content = async function* (): AsyncGenerator<Html> {
    const questions = await readQuestions(report);
    const rest = report.registers.questions.total - questions.length;
    if (rest > 0) yield note(`${numberText(rest)} more are only in comments.ndjson.`);
    const names = new Map(collections.flatMap(({ records }) => records.map(({ uniqueId, name }) => [uniqueId, name])));
    yield tableStart(['Asked', 'About', 'Question and answers', 'State'], 'q');
    for (const question of questions) yield questionRow(report, question, names);
    yield TABLE_END;
  };
  return { id: 'questions', title: 'Questions', content };
}

/** Questions come before their answers, as ids ascend with time. */
async function readQuestions({ registers, limits }: Report): Promise<Question[]> {
  const questions = new Map<unknown, Question>();
  for await (const { row } of registers.read('comment')) {
    const { uniqueId, text, kind, replyTo, resolved, resource, createdAt, createdBy } = row;
    const kept = { text: oneLine(htmlToText(String(text))), resolved, resource, createdAt, createdBy };
    const answered = questions.get(replyTo);
    if (answered !== undefined && answered.answers.length < MAX_ANSWERS) answered.answers.push(kept);
    else if (answered !== undefined) answered.more += 1;
    if (kind === 'question' && questions.size < limits.records)
      questions.set(uniqueId, { row: kept, answers: [], more: 0 });
  }
  return [...questions.values()];
}

const textOf = ({ text }: RegisterRow) => shortened(String(text), MAX_TEXT_LENGTH);

function questionRow(report: Report, { row, answers, more }: Question, names: ReadonlyMap<string, string>): Html {
  const { times, contents } = report;
  const { people } = contents;
  const { resource, resolved } = row;
  const id = String(Reflect.get(Object(resource), 'uniqueId'));
  const who = ({ createdAt, createdBy }: RegisterRow) =>
    `${times.text(String(createdAt))} by ${personText(createdBy, people)}`;
  const rest = more > 0 ? markup`<br>${countText(more, 'more answer')} in comments.ndjson` : NOTHING;
  return tableRow([
    who(row),
    names.get(id) ?? `${String(Reflect.get(Object(resource), 'type'))} ${id}`,
    markup`<strong>${textOf(row)}</strong>${answers.map((answer) => markup`<br>${who(answer)}: ${textOf(answer)}`)}${rest}`,
    isResolution(resolved)
      ? `Resolved ${times.text(resolved.at)} by ${personText(resolved.by, people)}`
      : markup`<b>Open</b>`,
  ]);
}

const isResolution = (value: unknown): value is { at: string; by: unknown } =>
  typeof value === 'object' && value !== null && 'at' in value && 'by' in value;
