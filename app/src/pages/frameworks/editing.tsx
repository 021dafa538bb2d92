import { client } from '../../api/client.ts';
import { openDialog } from '../../components/form/dialog.tsx';
import { Inputs } from '../../components/record/fields.tsx';
import type { Fields } from '../../components/record/fields.tsx';
import { date, firstText, person, status } from '../../components/record/kinds.tsx';
import { requirementOf } from '../../components/requirement/fields.tsx';
import { invalidateReferences } from './kinds.ts';
import type { Framework, Gap, KindName, ReferenceRow } from './kinds.ts';

type FrameworkValues = Pick<Framework, 'name' | 'owner' | 'auditDate'>;
type GapValues = Pick<Gap, 'title' | 'requirement' | 'status' | 'owner' | 'dueDate'>;

export const GAP_STATUSES = ['open', 'closed'] as const satisfies readonly Gap['status'][];

interface Editing<Values extends object> {
  title: string;
  initial: Values;
  fields: Fields<Values>;
  save: (values: Values) => Promise<unknown>;
}

const openEditingOf = <Values extends object>({ title, initial, fields, save }: Editing<Values>): void =>
  openDialog({
    title,
    initial,
    fields: (form) => <Inputs<Values> fields={fields} field={form.record} />,
    button: 'Save',
    submit: async (values) => {
      await save(values);
      await invalidateReferences();
    },
  });

const { framework, department, gap } = client.management;

/** Changes a framework, a gap or a department. */
const EDITING: Readonly<Record<KindName, (row: ReferenceRow) => void>> = {
  frameworks: ({ id, name, owner = null, auditDate = null }) =>
    openEditingOf<FrameworkValues>({
      title: 'Edit framework',
      initial: { name, owner, auditDate },
      fields: { name: firstText, owner: person('Make me the owner', id), auditDate: date() },
      save: ({ owner: chosen, ...values }) =>
        framework.update.mutate({ ...values, id, ownerId: chosen?.uniqueId ?? null }),
    }),
  gaps: ({ id, name, framework: of, requirement = null, status: current = 'open', owner = null, dueDate = null }) =>
    openEditingOf<GapValues>({
      title: 'Edit gap',
      initial: { title: name, requirement, status: current, owner, dueDate },
      fields: {
        title: firstText,
        requirement: requirementOf(of),
        status: status(GAP_STATUSES),
        owner: person('Make me the owner', of),
        dueDate: date(),
      },
      save: ({ owner: chosen, ...values }) => gap.update.mutate({ ...values, id, ownerId: chosen?.uniqueId ?? null }),
    }),
  departments: ({ id, name }) =>
    openEditingOf({
      title: 'Rename department',
      initial: { name },
      fields: { name: firstText },
      save: (values) => department.rename.mutate({ ...values, id }),
    }),
};

export const openEditing = (kindName: KindName, row: ReferenceRow): void => EDITING[kindName](row);
