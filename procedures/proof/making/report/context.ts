import type { Session } from '../../../../database/session.ts';
import type { ProofContents } from '../events.ts';
import { pathOf } from '../register-files.ts';
import type { Registers } from '../register-files.ts';
import { markup, Times, Values } from './text.ts';
import type { Html } from './text.ts';

/** Numbers above which the report is shorter. */
export interface Limits {
  /** Tasks, vendors, and requirements, that have a record each. */
  records: number;
  /** Changes of one record. */
  changes: number;
}

/** A file whose bytes are gone. */
export interface MissingFile {
  sha256: string;
  size: number;
}

/** Sources of the parts of a report. */
export interface Report {
  session: Session;
  contents: ProofContents;
  registers: Registers;
  missing: readonly MissingFile[];
  /** Sizes of the missing files by SHA-256. */
  missingSizes: ReadonlyMap<string, number>;
  limits: Limits;
  times: Times;
  values: Values;
  /** Names of vendors by id, as far as the report needs them, once the vendors were collected. */
  vendorNames: Map<unknown, string>;
  /** Calendar date of the end of the period. */
  today: string;
  /** The name of a piece of evidence, as a link to its file if the proof has it. */
  linkTo: (sha256: unknown, name: string) => string | Html;
}

/** A part of the report with a number and an entry in the contents. */
export interface Section {
  id: string;
  title: string;
  /** Parts with entries of their own. */
  parts?: readonly { id: string; title: string }[];
  content: () => AsyncIterable<Html> | Iterable<Html>;
}

export function openReport(
  session: Session,
  contents: ProofContents,
  registers: Registers,
  { missing, limits }: Pick<Report, 'missing' | 'limits'>,
): Report {
  const { framework, department, gap, requirement } = registers.names;
  const vendorNames: Report['vendorNames'] = new Map();
  const namesByField = new Map([
    ['framework', framework],
    ['departmentId', department],
    ['gaps', gap],
    ['requirements', requirement],
    ['vendors', vendorNames],
  ]);
  const times = new Times(registers.timeZone);
  const values = new Values(times, (field, id) => namesByField.get(field)?.get(id));
  const missingSizes = new Map(missing.map(({ sha256, size }) => [sha256, size]));
  const today = times.dateOf(contents.asOf);
  const linkTo: Report['linkTo'] = (sha256, name) => {
    const file = typeof sha256 === 'string' && contents.evidence ? registers.evidenceFiles.get(sha256) : undefined;
    if (file === undefined || typeof sha256 !== 'string' || missingSizes.has(sha256)) return name;
    const href = pathOf(sha256, file).split('/').map(encodeURIComponent).join('/');
    return markup`<a href="${href}">${name}</a>`;
  };
  return { session, contents, registers, missing, missingSizes, limits, times, values, vendorNames, today, linkTo };
}
