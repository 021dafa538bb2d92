import type { Outputs } from '../../../api/client.ts';
import { quoteCell } from './table.ts';

export type Kind = Outputs['import']['get']['kind'];

// The build writes the fields of each kind, a template, and the pattern of formulas here: app/vite.config.ts.
declare const IMPORT_FACTS: {
  kinds: Readonly<Record<Kind, { fields: readonly string[]; required: string; template: string }>>;
  formula: string;
  formulaInside: string;
};

/** Fields of each kind that a file sets, the one that every new item needs, and a file with an example. */
export const KIND_FACTS = IMPORT_FACTS.kinds;

/** Field with the id of an item in another system. */
export const EXTERNAL_ID = 'externalId';

const formula = new RegExp(IMPORT_FACTS.formula);
const formulaInside = new RegExp(IMPORT_FACTS.formulaInside, 'g');

function toText(cell: string): string {
  const inside = cell.replace(formulaInside, "$1'");
  return formula.test(cell) ? `'${inside}` : inside;
}

/** A record of a CSV file whose cells no spreadsheet runs as formulas. */
export const writeSafeRecord = (cells: readonly string[]): string =>
  `${cells.map((text) => quoteCell(toText(text))).join(',')}\r\n`;
