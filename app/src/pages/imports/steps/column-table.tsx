import { NativeSelect } from '@mantine/core';
import { fieldLabel } from '../../../components/record/values.ts';
import type { FileTable, Mapping } from '../file/table.ts';

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
export function ColumnTable({ table: { columns, rows }, fields, mapping, twice, onChange }: ColumnTableProps) {
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
