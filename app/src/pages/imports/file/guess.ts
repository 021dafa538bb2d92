import type { Mapping } from './table.ts';

/** Other names that people give to a field, without case, spaces, underscores and accents. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  name: ['vendor', 'vendorname', 'supplier', 'suppliername', 'company', 'companyname', 'title'],
  title: ['task', 'tasktitle', 'taskname', 'name', 'subject', 'summary'],
  description: ['details', 'notes', 'note', 'comment', 'comments', 'text'],
  externalId: ['id', 'key', 'reference', 'ref', 'identifier', 'number'],
  dueDate: ['due', 'deadline', 'dueon', 'dueby', 'enddate', 'end'],
  startDate: ['start', 'starton', 'begin'],
  priority: ['prio', 'importance'],
  labels: ['label', 'tags', 'tag'],
  gaps: ['gap'],
  status: ['state'],
  ownerId: ['owneremail'],
  criticality: ['risk', 'risklevel', 'tier'],
  website: ['url', 'web', 'site', 'homepage'],
  dataCategories: ['data', 'datatypes'],
  contractStart: ['contractfrom', 'contractbegin', 'startofcontract'],
  contractEnd: ['contractuntil', 'contractexpiry', 'endofcontract', 'renewal'],
  reviewEveryMonths: ['reviewinterval', 'reviewfrequency'],
  nextReview: ['nextreviewdate', 'reviewdate', 'reviewdue'],
  contacts: ['contact'],
  assigneeId: ['assigneeemail'],
  recurrence: ['rrule', 'repeat', 'repeats'],
  vendors: ['suppliers'],
  active: ['isactive', 'enabled'],
};

/** A name without case, accents, spaces and punctuation: "Due_Date" is "duedate". */
const simplify = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Guesses the field of each column by its name. The exact names of fields come first; each field has one column. */
export function guessMapping(columns: readonly string[], fields: readonly string[]): Mapping {
  const names = columns.map(simplify);
  const mapping: (string | null)[] = names.map(() => null);
  const place = (field: string, isMatch: (name: string) => boolean) => {
    const index = names.findIndex((name, position) => mapping[position] === null && isMatch(name));
    if (index !== -1 && !mapping.includes(field)) mapping[index] = field;
  };
  for (const field of fields) place(field, (name) => name === simplify(field));
  for (const field of fields) place(field, (name) => SYNONYMS[field]?.includes(name) === true);
  return mapping;
}
