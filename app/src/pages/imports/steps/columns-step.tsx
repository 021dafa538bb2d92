import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { fieldLabel } from '../../../components/record/values.ts';
import { EXTERNAL_ID, KIND_FACTS } from '../file/facts.ts';
import type { Kind } from '../file/facts.ts';
import type { FileTable, Mapping } from '../file/table.ts';
import type { OptionsForm } from './use-options.ts';

interface ColumnTableProps {
  table: FileTable;
  fields: readonly string[];
  mapping: Mapping;
  /** Fields that several columns have. */
  twice: ReadonlySet<string | null>;
  onChange: (mapping: Mapping) => void;
}

const LEFT_OUT = { value: '', label: 'Leave out' };
const SHOWN_VALUES = 3;
const SHOWN_CHARACTERS = 60;

const short = (text: string) => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);

/** Each column of a file with its first values, beside its field. */
function ColumnTable({ table: { columns, rows }, fields, mapping, twice, onChange }: ColumnTableProps) {
  const options = [LEFT_OUT, ...fields.map((value) => ({ value, label: fieldLabel(value) }))];
  const name = (index: number) => (columns[index] === '' ? `Column ${index + 1}` : columns[index]);
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
        {columns.map((column, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- columns of a file may have the same name, and never move
          <tr key={`${index}-${column}`} data-left-out={mapping[index] === null || undefined}>
            <th scope="row">{name(index)}</th>
            <td>
              {rows.slice(0, SHOWN_VALUES).map((cells, row) => (
                // oxlint-disable-next-line react/no-array-index-key -- rows have no id and never move
                <span key={row}>{short(cells[index] ?? '')}</span>
              ))}
            </td>
            <td>
              <NativeSelect
                aria-label={`Field of ${name(index)}`}
                data={options}
                value={mapping[index] ?? ''}
                error={twice.has(mapping[index] ?? null) && 'Another column has this field. Choose one of them.'}
                onChange={({ currentTarget: { value } }) =>
                  onChange(mapping.map((field, position) => (position === index ? value || null : field)))
                }
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const MODES = [
  { value: 'merge', label: 'Keep the present value' },
  { value: 'replace', label: 'Set the default value' },
] as const satisfies readonly { value: OptionsForm['values']['mode']; label: string }[];

/** Options of a file whose rows have ids of another system. */
function MatchOptions({ kind, form }: { kind: Kind; form: OptionsForm }) {
  return (
    <div className="import-options">
      <TextInput
        label="Source"
        description={`The system of the external ids, for example erp. A row with a known id then changes its ${kind}. Without a source, every row creates a ${kind}.`}
        {...form.text('source')}
      />
      {form.values.source !== '' && (
        <NativeSelect
          label="Empty cells and missing columns"
          description={`In rows that change a ${kind}`}
          data={MODES}
          {...form.text('mode')}
          onChange={({ currentTarget }) => form.set('mode', currentTarget.value === 'merge' ? 'merge' : 'replace')}
        />
      )}
    </div>
  );
}

interface ColumnsStepProps {
  kind: Kind;
  table: FileTable;
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
  form: OptionsForm;
  onBack: () => void;
  onCheck: () => void;
}

/** The step "Columns": each column of the file gets a field or is left out. */
export function ColumnsStep({ kind, table, mapping, onChange, form, onBack, onCheck }: ColumnsStepProps) {
  const [isTried, setIsTried] = useState(false);
  const { fields, required } = KIND_FACTS[kind];
  const twice = new Set(mapping.filter((field, index) => field !== null && mapping.indexOf(field) < index));
  const usesIds = mapping.includes(EXTERNAL_ID);
  // Rows that only change items may leave the name out.
  const isOptional = usesIds && form.values.source !== '' && form.values.mode === 'merge';
  const isMissing = !isOptional && !mapping.includes(required);
  const leftOut = table.columns.filter((_, index) => mapping[index] === null);
  return (
    <Stack gap="sm">
      <ColumnTable table={table} fields={fields} mapping={mapping} twice={twice} onChange={onChange} />
      {leftOut.length > 0 && (
        <Text size="sm" c="dimmed" className="chosen">
          {leftOut.length === 1 ? '1 column is left out.' : `${leftOut.length} columns are left out.`}
        </Text>
      )}
      {usesIds && <MatchOptions kind={kind} form={form} />}
      {isMissing && (
        <Alert color={isTried ? 'red' : 'gray'} variant="outline" role={isTried ? 'alert' : undefined}>
          Every {kind} needs a {fieldLabel(required).toLowerCase()}. Choose the column that has it.
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
            if (!isMissing && twice.size === 0) onCheck();
          }}
        >
          Check
        </Button>
      </Group>
    </Stack>
  );
}
