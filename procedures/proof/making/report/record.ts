import { setImmediate as nextTurn } from 'node:timers/promises';
import { pageRecordEvents } from '../../../../entities/proof/reading.ts';
import type { ResourceEventRow } from '../../../../entities/proof/reading.ts';
import { toIso } from '../../../../entities/statements/change-metadata.ts';
import { toChanges, isFieldChange } from '../../../../entities/audit/changes.ts';
import { isKnownEvent } from '../../../../entities/audit/fields.ts';
import { htmlToText, oneLine } from '../../../core/html.ts';
import { readAll } from '../../../core/read-pages.ts';
import { stateAt, toRow } from '../registers.ts';
import type { RegisterRow } from '../registers.ts';
import { ProofError } from '../events.ts';
import type { Names, People } from '../people.ts';
import type { Report } from './context.ts';
import { outcomeText } from './reviews.ts';
import {
  NOTHING,
  TABLE_END,
  markup,
  note,
  shortened,
  tableRow,
  tableStart,
  dateText,
  sizeText,
  fieldText,
  isEmpty,
  numberText,
  personText,
  statusText,
} from './text.ts';
import type { Html, Times, Values } from './text.ts';

const MAX_URL_LENGTH = 160;

/** Name and value of a fact. */
export type Fact = readonly [string, string | Html];

/** @param kind class of the list */
export const factList = (facts: readonly Fact[], kind: string): Html =>
  markup`<dl class="${kind}">${facts.map(([name, value]) => markup`<div><dt>${name}<dd>${value}</div>`)}</dl>\n`;

/** Characters of a comment or of the note of a review, and of a name in a sentence. */
const MAX_COMMENT_LENGTH = 160;
const MAX_NAME_LENGTH = 80;
/** Texts and lists whose change is named without them. */
const LONG_TEXTS = new Set(['description', 'note', 'text', 'contacts']);
const PAST: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  review: 'reviewed',
  resolve: 'resolved',
  reopen: 'reopened',
};
const CHECKED: Readonly<Record<string, string>> = { accepted: 'accepted', rejected: 'rejected' };

interface TypedEvent extends ResourceEventRow {
  type: string;
}

/** One change, or the same one several times. */
interface Change {
  first: string;
  last: string;
  count: number;
  actor: string;
  sentence: string;
}

interface ChangeOptions {
  times: Times;
  values: Values;
  people: People;
  /** Changes that are listed. */
  limit: number;
}

/** The changes of a record and of what belongs to it, oldest first. The last ones are kept. */
class Changes {
  readonly #options: ChangeOptions;
  readonly #kept: Change[] = [];
  /** Names of pieces of evidence by id. */
  readonly #names = new Map<string, string>();
  #dropped = 0;

  constructor(options: ChangeOptions) {
    this.#options = options;
  }

  /** @param isInPeriod false for an earlier event, which only gives names */
  add(event: TypedEvent, isInPeriod: boolean): void {
    const { people, limit } = this.#options;
    const names = people.at(event.sequence);
    const sentence = this.#sentence(event, names);
    if (!isInPeriod) return;
    const time = toIso(event.occurredAt);
    const actor = personText(names.get(event.user), names);
    const previous = this.#kept.at(-1);
    if (previous !== undefined && previous.actor === actor && previous.sentence === sentence) {
      previous.count += 1;
      previous.last = time;
      return;
    }
    this.#kept.push({ first: time, last: time, count: 1, actor, sentence });
    if (this.#kept.length > limit) this.#dropped += this.#kept.shift()?.count ?? 0;
  }

  /** The table; nothing without a change. */
  toHtml(): Html {
    const { times } = this.#options;
    if (this.#kept.length === 0) return note('No change in the period.');
    const earlier =
      this.#dropped === 0
        ? NOTHING
        : note(`${numberText(this.#dropped)} earlier changes of the period are in events.ndjson.`);
    const rows = this.#kept.map(({ first, last, count, actor, sentence }) => {
      const until = times.text(last);
      const repeated = count === 1 ? '' : ` (${numberText(count)} times, until ${until})`;
      return tableRow([times.text(first), actor, sentence + repeated]);
    });
    return markup`${earlier}${tableStart(['Time', 'Person', 'Change'], 'c')}${rows}${TABLE_END}`;
  }

  #sentence(event: TypedEvent, names: Names): string {
    const { type, action, changes: stored, sequence, resourceId } = event;
    const known = { resource_type: type, action, changes: stored };
    if (!isKnownEvent(known))
      throw new ProofError(`The event with the sequence ${sequence} was written by a newer version of the service`);
    const changes = toChanges(known.resource_type, action, stored, names);
    const verb = PAST[action.slice(type.length + 1)] ?? action;
    if (type === 'comment') return commentSentence(verb, changes);
    if (type === 'evidence') return this.#evidenceSentence(verb, resourceId, changes, names);
    if (verb === 'changed') return this.#fields(changes, names);
    return verb === 'reviewed' ? this.#reviewSentence(changes, names) : `${verb} the ${type}`;
  }

  #reviewSentence({ lastReview, ...others }: Readonly<Record<string, unknown>>, names: Names): string {
    const review = isFieldChange(lastReview) ? lastReview.to : undefined;
    const fields = this.#fields(others, names);
    return `reviewed the vendor${outcomeText(review)}${said(review)}${fields === '' ? '' : `; ${fields}`}`;
  }

  #evidenceSentence(verb: string, id: string, changes: Readonly<Record<string, unknown>>, names: Names): string {
    const known = this.#names.get(id) ?? 'evidence';
    const given = isFieldChange(changes['name']) ? changes['name'].to : changes['name'];
    const name = typeof given === 'string' ? `“${shortened(given, MAX_NAME_LENGTH)}”` : known;
    this.#names.set(id, name);
    if (verb === 'created') return `attached ${name}`;
    if (verb === 'deleted') return `removed ${name}`;
    if (isFieldChange(changes['check'])) return checkSentence(changes['check'].to, known);
    return `${this.#fields(changes, names)}, of ${known}`;
  }

  #fields(changes: Readonly<Record<string, unknown>>, names: Names): string {
    return Object.entries(changes)
      .map(([field, change]) => this.#field(field, change, names))
      .join('; ');
  }

  #field(field: string, change: unknown, names: Names): string {
    const name = fieldText(field);
    if (LONG_TEXTS.has(field) || !isFieldChange(change)) return `changed the ${name}`;
    const [from, to] = [change.from, change.to].map((value) => this.#options.values.text(field, value, names));
    if (isEmpty(change.from)) return `set the ${name} to ${to}`;
    if (isEmpty(change.to)) return `removed the ${name} ${from}`;
    return `changed the ${name} from ${from} to ${to}`;
  }
}

/** The note of a review or a check, in quotation marks after a colon. */
function said(review: unknown): string {
  const text: unknown = Reflect.get(Object(review), 'note');
  return typeof text === 'string' && text !== '' ? `: “${shortened(text, MAX_COMMENT_LENGTH)}”` : '';
}

function checkSentence(check: unknown, evidence: string): string {
  const verb = CHECKED[String(Reflect.get(Object(check), 'result'))];
  return verb === undefined ? `withdrew the check of ${evidence}` : `${verb} ${evidence}${said(check)}`;
}

function commentSentence(
  verb: string,
  { text: change, kind, replyTo, resolved }: Readonly<Record<string, unknown>>,
): string {
  const text = isFieldChange(change) ? change.to : change;
  if (isFieldChange(resolved)) return `${verb} a question`;
  const wrote =
    kind === 'question' ? 'asked a question' : isEmpty(replyTo) ? 'wrote a comment' : 'replied to a question';
  const words = verb === 'created' ? wrote : `${verb} a ${kind === 'question' ? 'question' : 'comment'}`;
  return typeof text === 'string' ? `${words}: “${shortened(oneLine(htmlToText(text)), MAX_COMMENT_LENGTH)}”` : words;
}

interface Subject {
  type: 'task' | 'vendor';
  uniqueId: string;
  heading: Html;
  facts: readonly Fact[];
}

/** A task or a vendor: its facts, its evidence, and who changed what in the period. */
export async function* recordHtml(report: Report, { type, uniqueId, heading, facts }: Subject): AsyncGenerator<Html> {
  const { session, limits, times, values } = report;
  const { from, asOf, people } = report.contents;
  const changes = new Changes({ times, values, people, limit: limits.changes });
  const evidence = new Map<string, ResourceEventRow[]>();
  const events = readAll(
    (after, limit) => session.run(pageRecordEvents, { type, uniqueId, after, limit }),
    '0',
    ({ id }) => id,
  );
  for await (const event of events) {
    const time = toIso(event.occurredAt);
    if (event.type === 'evidence') {
      const ofOne = evidence.get(event.resourceId) ?? [];
      evidence.set(event.resourceId, ofOne);
      ofOne.push(event);
    }
    if (time <= asOf) changes.add(event, from === null || time >= from);
  }
  yield markup`<article>${heading}\n${factList(facts, 'facts')}`;
  yield evidenceTable(report, evidence);
  yield markup`${changes.toHtml()}</article>\n`;
  await nextTurn();
}

/** Heads of the cells of a piece of evidence. */
export const EVIDENCE_HEADS = ['Evidence', 'Date', 'Valid until', 'Size', 'Check', 'SHA-256 or address'];

function evidenceTable(report: Report, events: ReadonlyMap<string, ResourceEventRow[]>): Html {
  const { asOf, people } = report.contents;
  const rows = [...events].flatMap(([uniqueId, ofOne]) => {
    const state = stateAt({ uniqueId, events: ofOne }, asOf);
    return state?.exists === true ? [tableRow(evidenceCells(report, toRow('evidence', state, people)))] : [];
  });
  if (rows.length === 0) return note('No evidence.');
  return markup`${tableStart(EVIDENCE_HEADS, 'e')}${rows}${TABLE_END}`;
}

/** Name, date, end of validity, size, check, and SHA-256 or address of a piece of evidence. */
export function evidenceCells(
  report: Report,
  { name, date, validUntil, size, check, sha256, url }: RegisterRow,
): (string | Html)[] {
  const { missingSizes, today, linkTo } = report;
  const isExpired = typeof validUntil === 'string' && validUntil < today;
  const isMissing = typeof sha256 === 'string' && missingSizes.has(sha256);
  const digest = markup`<code>${String(sha256)}</code>${isMissing ? markup` <b>bytes missing</b>` : NOTHING}`;
  return [
    linkTo(sha256, String(name)),
    dateText(String(date)),
    typeof validUntil === 'string'
      ? markup`${dateText(validUntil)}${isExpired ? markup` <b>expired</b>` : NOTHING}`
      : '',
    typeof size === 'number' ? sizeText(size) : 'link',
    checkHtml(report, check),
    typeof sha256 === 'string' ? digest : shortened(String(url), MAX_URL_LENGTH),
  ];
}

/** Result, time, person and note of a check; empty without a check. */
function checkHtml({ times, contents: { people } }: Report, check: unknown): string | Html {
  if (!isCheck(check)) return '';
  const result = check.result === 'rejected' ? markup`<b>Rejected</b>` : statusText(check.result);
  return markup`${result} ${times.text(check.at)} by ${personText(check.by, people)}${said(check)}`;
}

const isCheck = (value: unknown): value is { result: unknown; at: string; by: unknown } =>
  typeof value === 'object' && value !== null && 'result' in value && 'by' in value && 'at' in value;
