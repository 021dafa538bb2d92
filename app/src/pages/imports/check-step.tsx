import { Button, Checkbox, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { ErrorMessage } from '../../components/error-message.tsx';
import type { OptionsForm } from './columns-step.tsx';
import { fieldOf, labelOf, requiredOf } from './file/columns.ts';
import { count } from './findings.tsx';
import type { FindRow } from './findings.tsx';
import { Result } from './result.tsx';
import { hasEnded } from './use-imports.ts';
import type { Import, Options } from './use-imports.ts';

const DUPLICATES = [
  { value: 'skip', label: 'Skip the row' },
  { value: 'update', label: 'Update the existing one' },
  { value: 'create', label: 'Create another one' },
] as const satisfies readonly { value: Options['duplicates']; label: string }[];

/** What a row with the name of an earlier one would do. */
const EFFECTS: Readonly<Record<OptionsForm['values']['duplicates'], string>> = {
  skip: 'be skipped',
  update: 'update what the earlier row creates',
  create: 'create another one',
};

const SHOWN_DOUBLES = 100;

interface CheckStepProps {
  item: Import;
  at: number;
  /** Undefined if the file is not in this page, or was changed since. */
  findRow: FindRow | undefined;
  /** Rows with the name of an earlier one, unless ids decide. */
  doubles: readonly { line: number; name: string }[];
  form: OptionsForm;
  onDuplicates: (duplicates: OptionsForm['values']['duplicates']) => void;
  onBack: () => void;
  onImport: () => void;
}

/** The step "Check": a dry run shows what an import would do. */
export function CheckStep({ item, at, findRow, doubles, form, onDuplicates, onBack, onImport }: CheckStepProps) {
  const { kind, state, created, updated, failed, skipped } = item;
  const { strict, source } = form.values;
  const isByRef = kind === 'requirement';
  const duplicates = isByRef ? 'update' : form.values.duplicates;
  const required = fieldOf(kind, requiredOf(kind));
  const label = required === undefined ? '' : labelOf(required);
  const isUseful = state === 'done' && created + updated > 0;
  const hasFile = findRow !== undefined;
  const isReady = isUseful && hasFile;
  return (
    <Stack gap="sm">
      <Result item={item} at={at} findRow={findRow} />
      {doubles.length > 0 && hasEnded(item) && (
        <section>
          <h4>
            {`${count(doubles.length, 'row')} with the ${requiredOf(kind)} of an earlier row would ${EFFECTS[duplicates]}`}
          </h4>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it */}
          <div className="preview" role="region" aria-label="Rows with the name of an earlier row" tabIndex={0}>
            <table className="findings">
              <thead>
                <tr>
                  <th scope="col">Line</th>
                  <th scope="col">{label}</th>
                </tr>
              </thead>
              <tbody>
                {doubles.slice(0, SHOWN_DOUBLES).map(({ line, name }) => (
                  <tr key={line}>
                    <td>Line {line}</td>
                    <td>{name}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
      {hasFile &&
        !isByRef &&
        state === 'done' &&
        source === '' &&
        (skipped > 0 || doubles.length > 0 || duplicates !== 'skip') && (
          <NativeSelect
            label={`Rows whose ${requiredOf(kind)} already exists, or appears earlier in the file`}
            w={320}
            data={DUPLICATES}
            value={duplicates}
            disabled={form.isPending}
            onChange={({ currentTarget }) =>
              onDuplicates(DUPLICATES.find(({ value }) => value === currentTarget.value)?.value ?? 'skip')
            }
          />
        )}
      {isReady && (
        <Checkbox
          label="All or nothing: import nothing if a row is rejected"
          checked={strict}
          error={
            strict &&
            failed > 0 &&
            'Nothing will be imported, because some rows are rejected. Correct the file, or clear this box to import the other rows.'
          }
          onChange={({ currentTarget }) => form.set('strict', currentTarget.checked)}
        />
      )}
      {isUseful && !hasFile && (
        <Text size="sm">
          This page no longer has the file and the columns of this check. Go back and check the file again.
        </Text>
      )}
      {form.error !== undefined && <ErrorMessage title="The file could not be sent" error={form.error} />}
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        {isReady && (
          <Button loading={form.isPending} onClick={onImport}>
            Import
          </Button>
        )}
      </Group>
    </Stack>
  );
}
