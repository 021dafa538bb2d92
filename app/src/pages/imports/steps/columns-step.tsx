import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { fieldLabel } from '../../../components/record/values.ts';
import { EXTERNAL_ID, KIND_FACTS } from '../file/facts.ts';
import type { Kind } from '../file/facts.ts';
import type { FileTable, Mapping } from '../file/table.ts';
import { ColumnTable } from './column-table.tsx';
import { MatchOptions } from './match-options.tsx';
import type { OptionsForm } from './use-options.ts';

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
