import type { RegisterRow } from '../registers.ts';
import { compareNames } from './collect.ts';
import type { Collected, ReportRecord } from './collect.ts';
import type { Report, Section } from './context.ts';
import {
  TABLE_END,
  markup,
  note,
  shortened,
  tableRow,
  tableStart,
  dateText,
  countText,
  criticalityText,
  isEmpty,
  numberText,
  personText,
  statusText,
} from './text.ts';
import type { Html } from './text.ts';
import { recordHtml } from './record.ts';
import type { Fact } from './record.ts';
import { lastReviewText, nextReviewText } from './reviews.ts';

const MAX_FACT_LENGTH = 160;

/** Vendors that a short list has, and its order. */
export const SHORT_VENDORS = {
  isListed: (row: ReportRecord['row']) => row['status'] === 'active',
  compare: compareNames,
};

export function vendorsSection(report: Report, collected: Collected): Section {
  const content = async function* () {
    if (collected.isShort) {
      yield* shortList(report, collected);
      return;
    }
    let number = 0;
    for (const vendor of collected.records.toSorted(compareNames)) yield* vendorRecord(report, vendor, (number += 1));
  };
  return { id: 'vendors', title: 'Vendors', content };
}

function vendorRecord(report: Report, vendor: ReportRecord, number: number) {
  const { contents, times } = report;
  const { uniqueId, row, statusBefore } = vendor;
  return recordHtml(report, {
    type: 'vendor',
    uniqueId,
    heading: markup`<h4 id="v${number}">${number}. ${vendor.name}</h4>`,
    facts: [
      ['Status at the start', statusBefore === null ? 'not there yet' : statusText(statusBefore)],
      ['Status at the end', markup`<strong>${statusText(row['status'])}</strong>`],
      ...registerFacts(report, row),
      ['Created', `${times.text(String(row['createdAt']))} by ${personText(row['createdBy'], contents.people)}`],
      ['uniqueId', markup`<code>${uniqueId}</code>`],
    ],
  });
}

/** The facts that are set, in the order of their importance. */
function registerFacts(report: Report, row: RegisterRow): Fact[] {
  const { contents, today } = report;
  const categories = Array.isArray(row['dataCategories']) ? row['dataCategories'].join(', ') : '';
  const facts: readonly [string, Fact[0], () => Fact[1]][] = [
    ['criticality', 'Criticality', () => criticalityText(row['criticality'])],
    ['owner', 'Owner', () => personText(row['owner'], contents.people)],
    ['website', 'Website', () => shortened(String(row['website']), MAX_FACT_LENGTH)],
    ['dataCategories', 'Data categories', () => shortened(categories, MAX_FACT_LENGTH)],
    ['contractStart', 'Contract start', () => dateText(String(row['contractStart']))],
    ['contractEnd', 'Contract end', () => contractEndText(String(row['contractEnd']), today)],
    ['reviewEveryMonths', 'Reviewed every', () => countText(Number(row['reviewEveryMonths']), 'month')],
    ['lastReview', 'Last review', () => lastReviewText(report, row)],
    ['nextReview', 'Next review', () => nextReviewText(row, today)],
  ];
  return facts.filter(([field]) => !isEmpty(row[field])).map(([, name, textOf]) => [name, textOf()]);
}

const contractEndText = (date: string, today: string): string | Html =>
  date < today ? markup`${dateText(date)} <b>ended</b>` : dateText(date);

/** One row for each active vendor. */
function* shortList({ limits }: Report, { records, total, listed }: Collected) {
  yield note(
    `The company has ${numberText(total)} vendors. Above ${numberText(limits.records)} vendors this report has only the first ` +
      `${numberText(records.length)} of the ${numberText(listed)} that are active, by name, without their changes and evidence. All are in vendors.csv.`,
  );
  yield tableStart(['Vendor', 'uniqueId'], 'i');
  for (const vendor of records) yield tableRow([vendor.name, vendor.uniqueId]);
  yield TABLE_END;
}
