import type { Result } from '../../../entities/requirement/requirement.ts';
import type { Department } from './control.ts';

/** A requirement of a framework, or a heading, which has no department. */
export interface DemoRequirement {
  ref: string;
  title: string;
  description: string;
  /** Ref of the heading above it. */
  heading: string | undefined;
  department: Department | undefined;
  /** Why it applies, or why it does not. */
  justification: string;
  isExcluded: boolean;
  /** Results of its assessments, one after the other. */
  results: readonly Result[];
  /** Beginnings of the titles of controls, also of other frameworks, that implement it. */
  controls: readonly string[];
}

const RESULTS: Readonly<Record<string, Result>> = { met: 'met', part: 'partly_met', not: 'not_met' };
const DEPARTMENTS: Readonly<Record<string, Department>> = {
  Security: 'Security',
  IT: 'IT',
  Legal: 'Legal',
  People: 'People',
};

/**
 * Reads requirements: ref | title | description | department | results of assessments | controls. A heading is ref | title | why what is
 * below it applies. A requirement that does not apply has `No:` and the reason in place of the results.
 */
export function parseRequirements(rows: string): readonly DemoRequirement[] {
  const read: DemoRequirement[] = [];
  let heading = { ref: '', justification: '' };
  for (const row of rows.trim().split('\n')) {
    const cells = row.split('|').map((cell) => cell.trim());
    const [ref = '', title = '', description = '', department, results = '', controls = ''] = cells;
    if (department === undefined) {
      heading = { ref, justification: description };
      const without = { description: '', heading: undefined, department, isExcluded: false, results: [], controls: [] };
      read.push({ ref, title, ...without, justification: description });
      continue;
    }
    const [, reason] = /^No: (.*)$/.exec(results) ?? [];
    read.push({
      ref,
      title,
      description: `<p>${description}</p>`,
      heading: heading.ref,
      department: DEPARTMENTS[department],
      justification: reason ?? heading.justification,
      isExcluded: reason !== undefined,
      results: reason === undefined ? results.split(' ').flatMap((word) => RESULTS[word] ?? []) : [],
      controls: controls.split(';').flatMap((start) => start.trim() || []),
    });
  }
  return read;
}
