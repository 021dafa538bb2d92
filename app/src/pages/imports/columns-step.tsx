import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import { EXTERNAL_ID, fieldOf, fieldsOf, labelOf, requiredOf, UNIQUE_ID } from './file/columns.ts';
import type { Field, Kind, Mapping } from './file/columns.ts';
import { datesOf, firstValues, headingRows } from './file/table.ts';
import type { Dates, Sheet, Table } from './file/table.ts';
import type { Options } from './use-imports.ts';

interface Values {
  mode: NonNullable<Options['mode']>;
  source: string;
  duplicates: NonNullable<Options['duplicates']>;
  strict: boolean;
  /** Empty until it is chosen; then the dates of the file say it, if they can. */
  dates: Dates | '';
}

export type OptionsForm = ServerForm<Values>;

const INITIAL: Values = { mode: 'merge', source: '', duplicates: 'skip', strict: false, dates: '' };

/** Options of an import: `duplicates` and `strict` are in the step "Check", the others in the step "Columns". */
export const useOptions = (): OptionsForm => useServerForm(INITIAL);

interface ColumnTableProps {
  table: Table;
  fields: readonly Field[];
  mapping: Mapping;
  /** Fields that several columns have. */
  twice: ReadonlySet<string | null>;
  onChange: (mapping: Mapping) => void;
}

const LEFT_OUT = { value: '', label: 'Leave out' };
const SHOWN_CHARACTERS = 60;

const short = (text: string) => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);

/** Each column of a file with its first values, beside its field. */
function ColumnTable({ table, fields, mapping, twice, onChange }: ColumnTableProps) {
  const options = [LEFT_OUT, ...fields.map((field) => ({ value: field.name, label: labelOf(field) }))];
  return (
    <table className="column-table" aria-label="Columns of the file">
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">First values</th>
          <th scope="col">Field</th>
        </tr>
      </thead>
      <tbody>
        {table.headings.map((heading, index) => {
          const name = heading === '' ? `Column ${index + 1}` : heading;
          return (
            // oxlint-disable-next-line react/no-array-index-key -- columns of a file may have the same name, and never move
            <tr key={`${index}-${heading}`} data-left-out={mapping[index] === null || undefined}>
              <th scope="row">{name}</th>
              <td>
                {firstValues(table, index).map((value) => (
                  <span key={value}>{short(value)}</span>
                ))}
              </td>
              <td>
                <NativeSelect
                  aria-label={`Field of ${name}`}
                  data={options}
                  value={mapping[index] ?? ''}
                  error={twice.has(mapping[index] ?? null) && 'Another column has the same field. Change one of them.'}
                  onChange={({ currentTarget: { value } }) =>
                    onChange(mapping.map((field, position) => (position === index ? value || null : field)))
                  }
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const MODES = [
  { value: 'merge', label: 'Keep the current value' },
  { value: 'replace', label: 'Set the default value' },
] as const satisfies readonly { value: Values['mode']; label: string }[];

/** Options of a file whose rows have ids of another system. */
function MatchOptions({ kind, form }: { kind: Kind; form: OptionsForm }) {
  return (
    <div className="import-options">
      <TextInput
        label="Source"
        description={`The system that the external ids come from, for example erp. A row with a known id then updates that ${kind}. Without a source, the ids are left out.`}
        {...form.text('source')}
      />
      {form.values.source !== '' && (
        <NativeSelect
          label="Empty cells and missing columns"
          description={`For rows that update a ${kind}`}
          data={MODES}
          {...form.text('mode')}
          onChange={({ currentTarget }) => form.set('mode', currentTarget.value === 'merge' ? 'merge' : 'replace')}
        />
      )}
    </div>
  );
}

const DATE_FORMS: Readonly<Record<Dates, string>> = {
  dmy: 'Day first: 31.12.2026 or 31/12/2026',
  mdy: 'Month first: 12/31/2026',
};

const isForm = (value: string): value is Dates => value in DATE_FORMS;

/** The form of the dates: the chosen one, or the only one in which all dates of the file may be written. */
export function formOfDates(chosen: Values['dates'], forms: readonly Dates[]): Dates | undefined {
  if (chosen !== '') return chosen;
  return forms.length === 1 ? forms[0] : undefined;
}

interface ColumnsStepProps {
  kind: Kind;
  sheet: Sheet;
  heading: number;
  onHeading: (heading: number) => void;
  table: Table;
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
  /** What is imported of a file with several frameworks. */
  note: string | undefined;
  form: OptionsForm;
  onBack: () => void;
  onCheck: () => void;
}

/** The step "Columns": which row is the heading, and each column of the file gets a field or is left out. */
export function ColumnsStep(props: ColumnsStepProps) {
  const { kind, sheet, heading, onHeading, table, mapping, onChange, note, form, onBack, onCheck } = props;
  const [isTried, setIsTried] = useState(false);
  const required = requiredOf(kind);
  const requiredField = fieldOf(kind, required);
  const twice = new Set(mapping.filter((field, index) => field !== null && mapping.indexOf(field) < index));
  const usesIds = mapping.includes(EXTERNAL_ID);
  // Rows that only change items may leave the name out.
  const isOptional =
    mapping.includes(UNIQUE_ID) || (usesIds && form.values.source !== '' && form.values.mode === 'merge');
  const isMissing = !isOptional && !mapping.includes(required);
  const leftOut = mapping.filter((field) => field === null).length;
  const forms = datesOf(kind, table, mapping);
  const dates = formOfDates(form.values.dates, forms);
  const isUnclear = forms.length > 0 && dates === undefined;
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Heading"
        description="The rows below it are imported."
        data={headingRows(sheet).map(({ line, cells }, index) => ({
          value: String(index),
          label: `Line ${line}: ${short(cells.filter((cell) => cell.trim() !== '').join(', '))}`,
        }))}
        value={String(heading)}
        onChange={({ currentTarget }) => onHeading(Number(currentTarget.value))}
      />
      <ColumnTable table={table} fields={fieldsOf(kind)} mapping={mapping} twice={twice} onChange={onChange} />
      {leftOut > 0 && (
        <Text size="sm" c="dimmed">
          {leftOut === 1 ? '1 column is left out.' : `${leftOut} columns are left out.`}
        </Text>
      )}
      {note !== undefined && <Text size="sm">{note}</Text>}
      {forms.length > 0 && (
        <NativeSelect
          label="Dates"
          description="How the dates of the file are written"
          data={[
            ...(dates === undefined ? [{ value: '', label: 'Choose how they are written' }] : []),
            ...Object.entries(DATE_FORMS).map(([value, label]) => ({ value, label })),
          ]}
          value={dates ?? ''}
          error={isTried && isUnclear && 'The dates can be read in two ways. Choose one.'}
          onChange={({ currentTarget: { value } }) => form.set('dates', isForm(value) ? value : '')}
        />
      )}
      {usesIds && <MatchOptions kind={kind} form={form} />}
      {isMissing && requiredField !== undefined && (
        <Alert color={isTried ? 'red' : 'gray'} variant="outline" role={isTried ? 'alert' : undefined}>
          Every {kind} needs a {labelOf(requiredField).toLowerCase()}. Choose the column that contains it.
        </Alert>
      )}
      {form.error !== undefined && <ErrorMessage title="The file could not be sent" error={form.error} />}
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button
          loading={form.isPending}
          onClick={() => {
            setIsTried(true);
            if (!isMissing && twice.size === 0 && !isUnclear) onCheck();
          }}
        >
          Check
        </Button>
      </Group>
    </Stack>
  );
}
