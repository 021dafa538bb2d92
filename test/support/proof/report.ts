import { Session } from '../../../database/session.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { sealWaiting } from '../../../procedures/audit/sealing.ts';
import { findPiece } from '../../../procedures/proof/making/events.ts';
import { People } from '../../../procedures/proof/making/people.ts';
import { Registers } from '../../../procedures/proof/making/register-files.ts';
import { limitedReport } from '../../../procedures/proof/making/report/report.ts';
import { database } from '../database/database.ts';

interface Request {
  from?: string | null;
  asOf: string;
  frameworks?: readonly number[] | null;
}

interface Given {
  missing?: readonly { sha256: string; size: number }[];
  records?: number;
  changes?: number;
}

/** Makes the report of a proof without the other files. */
export async function makeReport(
  company: number,
  { from = null, asOf, frameworks = null }: Request,
  { missing = [], records = 2000, changes = 50 }: Given = {},
): Promise<string> {
  const session = new Session(database, operatorPrincipal(company), 'test');
  await sealWaiting(session, 10_000);
  const piece = await findPiece(session, from, asOf);
  const people = await People.read(session, { asOf, head: piece.head.sequence });
  const contents = { from, asOf, frameworks, evidence: true, piece, people };
  const registers = new Registers(session, contents);
  // The report uses what the registers know once they were written.
  for (const { content } of registers.files()) await Array.fromAsync(content);
  const parts = limitedReport(session, contents, registers, { missing, limits: { records, changes } });
  return (await Array.fromAsync(parts)).join('');
}

/** The texts of elements, in their order, without those that are empty. */
export const textsOf = (html: string): string[] =>
  html
    .split(/<[^>]*>/)
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** Waits until the clock of events has moved on. @returns a time after all events until now */
export async function now(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  const time = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  return time;
}

/** The part of a report from a text to the next one of its kind. */
export const between = (report: string, start: string, end: string) => {
  const from = report.indexOf(start);
  if (from < 0) throw new Error(`report: expected ${start}`);
  return report.slice(from, report.indexOf(end, from + start.length));
};

/** The texts of a part in one line, without times. */
export const wordsOf = (html: string): string =>
  textsOf(html)
    .join(' | ')
    .replaceAll(/\d+ \w{3} \d{4}, \d\d:\d\d/g, 'TIME');
