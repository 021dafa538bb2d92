import { setImmediate as nextTurn } from 'node:timers/promises';
import { pageRecordEvents } from '../../../../entities/proof/reading.ts';
import type { ResourceEventRow } from '../../../../entities/proof/reading.ts';
import { toIso } from '../../../../entities/statements/change-metadata.ts';
import { readAll } from '../paging.ts';
import { stateAt, toRow } from '../registers.ts';
import type { RegisterRow } from '../registers.ts';
import { Changes } from './changes.ts';
import type { Report } from './context.ts';
import { NOTHING, TABLE_END, markup, note, shortened, tableRow, tableStart } from './text/html.ts';
import type { Html } from './text/html.ts';
import { dateText } from './text/times.ts';
import { sizeText } from './text/words.ts';

const MAX_URL_LENGTH = 160;

/** Name and value of a fact. */
export type Fact = readonly [string, string | Html];

/** @param kind class of the list */
export const factList = (facts: readonly Fact[], kind: string): Html =>
  markup`<dl class="${kind}">${facts.map(([name, value]) => markup`<div><dt>${name}<dd>${value}</div>`)}</dl>\n`;

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

function evidenceTable(report: Report, events: ReadonlyMap<string, ResourceEventRow[]>): Html {
  const { asOf, people } = report.contents;
  const rows = [...events].flatMap(([uniqueId, ofOne]) => {
    const state = stateAt({ uniqueId, events: ofOne }, asOf);
    return state?.exists === true ? [evidenceRow(report, toRow('evidence', state, people))] : [];
  });
  if (rows.length === 0) return note('No evidence.');
  return markup`${tableStart(['Evidence', 'Date', 'Valid until', 'Size', 'SHA-256 or address'], 'e')}${rows}${TABLE_END}`;
}

function evidenceRow(
  { missingSizes, today, linkTo }: Report,
  { name, date, validUntil, size, sha256, url }: RegisterRow,
): Html {
  const isExpired = typeof validUntil === 'string' && validUntil < today;
  const isMissing = typeof sha256 === 'string' && missingSizes.has(sha256);
  const digest = markup`<code>${String(sha256)}</code>${isMissing ? markup` <b>bytes missing</b>` : NOTHING}`;
  return tableRow([
    linkTo(sha256, String(name)),
    dateText(String(date)),
    typeof validUntil === 'string'
      ? markup`${dateText(validUntil)}${isExpired ? markup` <b>expired</b>` : NOTHING}`
      : '',
    typeof size === 'number' ? sizeText(size) : 'link',
    typeof sha256 === 'string' ? digest : shortened(String(url), MAX_URL_LENGTH),
  ]);
}
