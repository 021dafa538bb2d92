import type { Collected, ReportRecord } from './collect.ts';
import type { Report, Section } from './context.ts';
import { TABLE_END, markup, note, tableRow, tableStart } from './text/html.ts';
import { recordHtml } from './record.ts';
import { compareText, numberText, personText, statusText } from './text/words.ts';

const compare = (a: ReportRecord, b: ReportRecord): number =>
  compareText(a.name, b.name) || compareText(a.uniqueId, b.uniqueId);

/** Vendors that a short list has, and its order. */
export const SHORT_VENDORS = {
  isListed: (row: ReportRecord['row']) => row['status'] === 'active',
  compare,
};

export function vendorsSection(report: Report, collected: Collected): Section {
  const content = async function* () {
    if (collected.isShort) {
      yield* shortList(report, collected);
      return;
    }
    let number = 0;
    for (const vendor of collected.records.toSorted(compare)) yield* vendorRecord(report, vendor, (number += 1));
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
      ['Created', `${times.text(String(row['createdAt']))} by ${personText(row['createdBy'], contents.people)}`],
      ['uniqueId', markup`<code>${uniqueId}</code>`],
    ],
  });
}

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
