/** Items that an import makes. */
export type Kind = 'vendor' | 'task' | 'requirement';

/** A column that an import sets. */
export interface Field {
  name: string;
  /** Heading of the application; the name if it has none. */
  heading: string;
  /** What the values name. */
  refersTo?: 'member' | 'department' | 'framework' | 'gap' | 'vendor' | 'requirement';
  /** The values that there are, as people read them. */
  words?: readonly (readonly [value: string | number, word: string])[];
  isDate?: true;
  isList?: true;
}

// The build writes the fields of each kind, a template, and the pattern of formulas here: app/vite.config.ts.
declare const IMPORT_FACTS: {
  kinds: Readonly<Record<Kind, { columns: readonly Field[]; required: string; template: string }>>;
  formula: string;
  formulaInside: string;
};

const KINDS = IMPORT_FACTS.kinds;
export const IMPORT_KINDS: readonly Kind[] = ['vendor', 'task', 'requirement'];

/** True for what belongs to a framework. */
export const isOfFramework = (kind: Kind | undefined): boolean => kind === 'task' || kind === 'requirement';

/** Field with the id of an item in another system. */
export const EXTERNAL_ID = 'externalId';
/** Field with the id of an item in this service. */
export const UNIQUE_ID = 'uniqueId';
/** Column that says of which framework a row is. An import has the rows of one. */
export const FRAMEWORK = 'framework';

const frameworkField: Field = { name: FRAMEWORK, heading: 'Framework', refersTo: 'framework' };

/** The fields that a file of a kind may have. */
export const fieldsOf = (kind: Kind): readonly Field[] =>
  isOfFramework(kind) ? [...KINDS[kind].columns, frameworkField] : KINDS[kind].columns;

export const fieldOf = (kind: Kind, name: string): Field | undefined =>
  fieldsOf(kind).find((field) => field.name === name);

/** Name of a field as people read it. */
export const labelOf = ({ heading }: Field): string => heading.charAt(0).toUpperCase() + heading.slice(1);

/** Field that every new item needs. */
export const requiredOf = (kind: Kind): string => KINDS[kind].required;

/** A file of a kind with every column and an example. */
export const templateOf = (kind: Kind): string => KINDS[kind].template;

const formula = new RegExp(IMPORT_FACTS.formula);
const formulaInside = new RegExp(IMPORT_FACTS.formulaInside, 'g');

/** The text of a cell that no spreadsheet runs as a formula. */
export function safeText(cell: string): string {
  const inside = cell.replace(formulaInside, "$1'");
  return formula.test(cell) ? `'${inside}` : inside;
}

/** The field of each column; null for a column that is left out. */
export type Mapping = readonly (string | null)[];

/** Other names that people give to a field, without case, spaces, punctuation and accents. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  name: ['vendor', 'vendorname', 'supplier', 'suppliername', 'company', 'companyname', 'title'],
  ref: ['control', 'controlid', 'clause', 'article', 'criterion', 'number', 'id', 'reference', 'identifier'],
  parentRef: ['parent', 'partof'],
  justification: ['reason', 'rationale'],
  applicable: ['applies', 'applicability'],
  position: ['order'],
  title: ['task', 'tasktitle', 'taskname', 'name', 'subject', 'summary'],
  description: ['details', 'notes', 'note', 'comment', 'comments', 'text'],
  externalId: ['id', 'key', 'reference', 'ref', 'identifier', 'number'],
  dueDate: ['due', 'deadline', 'dueon', 'dueby', 'enddate', 'end'],
  startDate: ['start', 'starton', 'begin'],
  priority: ['prio', 'importance'],
  labels: ['label', 'tags', 'tag'],
  gaps: ['gap'],
  status: ['state'],
  ownerId: ['owneremail', 'responsible'],
  criticality: ['risk', 'risklevel', 'tier'],
  website: ['url', 'web', 'site', 'homepage'],
  dataCategories: ['data', 'datatypes'],
  contractStart: ['contractfrom', 'contractbegin', 'startofcontract'],
  contractEnd: ['contractuntil', 'contractexpiry', 'endofcontract', 'renewal'],
  reviewEveryMonths: ['reviewinterval', 'reviewfrequency'],
  nextReview: ['nextreviewdate', 'reviewdate', 'reviewdue'],
  contacts: ['contact'],
  departmentId: ['team'],
  assigneeId: ['assigneeemail', 'assignedto', 'responsible'],
  recurrence: ['rrule', 'repeat', 'repeats'],
  vendors: ['suppliers'],
  active: ['isactive', 'enabled'],
  framework: ['standard'],
};

/** A name without case, accents, spaces and punctuation: "Due_Date" is "duedate". */
const simplify = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Guesses the field of each column by its heading. Headings of the application come first; each field has one column.
 * @param valuesOf the first values of a column, which tell an id of this service from another one
 */
export function guessMapping(
  headings: readonly string[],
  kind: Kind,
  valuesOf: (index: number) => readonly string[] = () => [],
): Mapping {
  const names = headings.map(simplify);
  const mapping: (string | null)[] = names.map(() => null);
  const place = (field: string, isMatch: (name: string, index: number) => boolean) => {
    const index = names.findIndex((name, position) => mapping[position] === null && isMatch(name, position));
    if (index !== -1 && !mapping.includes(field)) mapping[index] = field;
  };
  const fields = fieldsOf(kind);
  const hasIds = (index: number) => valuesOf(index).some((value) => UUID.test(value.trim()));
  for (const { name: field, heading } of fields)
    place(
      field,
      (name, index) => [simplify(field), simplify(heading)].includes(name) && (field !== UNIQUE_ID || hasIds(index)),
    );
  for (const { name: field } of fields) place(field, (name) => SYNONYMS[field]?.includes(name) === true);
  return mapping;
}

/** Number of headings that have a field. */
export const countKnown = (headings: readonly string[], kind: Kind): number =>
  guessMapping(headings, kind).filter((field) => field !== null).length;

/** What the rows below headings are: undefined if the headings do not say it. */
export function recognize(headings: readonly string[]): Kind | undefined {
  const names = new Set(headings.map(simplify));
  if (names.has('ref') && !names.has('name')) return 'requirement';
  const [isTask, isVendor] = [names.has('title'), names.has('name')];
  if (isTask !== isVendor) return isTask ? 'task' : 'vendor';
  const [vendor, task] = [countKnown(headings, 'vendor'), countKnown(headings, 'task')];
  if (vendor === task) return undefined;
  return vendor > task ? 'vendor' : 'task';
}
