import { client, queryClient, sentOnLeave } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';

type Management = Outputs['management'];
export type Framework = Management['framework']['list'][number];
export type Gap = Management['gap']['list'][number];

/** A framework, a department or a gap. */
export interface ReferenceRow extends Partial<Omit<Framework & Gap, 'title'>> {
  id: number;
  /** The title of a gap. */
  name: string;
  archivedAt: string | null;
}

/** A gap as a row of the list. */
export const toRow = ({ title, ...gap }: Gap): ReferenceRow => ({ ...gap, name: title });

export interface Kind {
  one: string;
  unit: readonly [one: string, many: string];
  heading: string;
  /** Name of the text field, in the API and as a label. */
  field: 'name' | 'title';
  label: 'Name' | 'Title';
  empty: string;
  archiving: string;
  archive: (id: number) => Promise<unknown>;
}

const { framework, department, gap } = client.management;

export const KINDS = {
  frameworks: {
    one: 'framework',
    unit: ['framework', 'frameworks'],
    heading: 'Frameworks',
    field: 'name',
    label: 'Name',
    empty: 'Frameworks are the standards that you follow, for example ISO 27001. Each task belongs to one.',
    archiving: 'Its tasks are kept. You can no longer add tasks or gaps to it.',
    archive: (id) => framework.archive.mutate({ id }, sentOnLeave),
  },
  gaps: {
    one: 'gap',
    unit: ['gap', 'gaps'],
    heading: 'Gaps',
    field: 'title',
    label: 'Title',
    empty:
      'A gap is something that a framework requires and your company does not have yet. Link a gap to the tasks that close it.',
    archiving: 'Tasks that are linked to this gap keep it. You can no longer add it to other tasks.',
    archive: (id) => gap.archive.mutate({ id }, sentOnLeave),
  },
  departments: {
    one: 'department',
    unit: ['department', 'departments'],
    heading: 'Departments',
    field: 'name',
    label: 'Name',
    empty: 'Departments are the parts of your company that are responsible for tasks.',
    archiving: 'Tasks of this department keep it. You can no longer choose it for other tasks.',
    archive: (id) => department.archive.mutate({ id }, sentOnLeave),
  },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

/** Key of a row among those of all kinds. */
export const rowKey = (kind: KindName, { id }: Pick<ReferenceRow, 'id'>): string => `${kind}/${id}`;

export const KIND_NAMES = ['frameworks', 'gaps', 'departments'] as const satisfies readonly KindName[];

/** Loads everything again: lists of all pages show the names of reference data. */
export const invalidateReferences = (): Promise<void> => queryClient.invalidateQueries();
