import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { Result } from '../result/result.tsx';
import type { SentRows } from '../result/rejected-rows.tsx';
import type { Import } from '../use-imports.ts';
import type { OptionsForm } from './use-options.ts';

interface CheckStepProps {
  item: Import;
  at: number;
  /** Rows of the file, if it is in this page and was not changed since. */
  sentRows: SentRows | undefined;
  form: OptionsForm;
  onBack: () => void;
  onImport: () => void;
}

/** The step "Check": a dry run shows what an import would do. */
export function CheckStep({ item, at, sentRows, form, onBack, onImport }: CheckStepProps) {
  const { state, created, updated, failed } = item;
  const isUseful = state === 'done' && created + updated > 0;
  const isReady = isUseful && sentRows !== undefined;
  return (
    <Stack gap="sm">
      <Result item={item} at={at} sentRows={sentRows} />
      {isReady && (
        <Checkbox
          label="All or nothing: import nothing if a row is rejected"
          checked={form.values.strict}
          error={
            form.values.strict &&
            failed > 0 &&
            'Nothing will be imported, because rows are rejected. Correct the file, or import the other rows.'
          }
          onChange={({ currentTarget }) => form.set('strict', currentTarget.checked)}
        />
      )}
      {isUseful && sentRows === undefined && (
        <Text size="sm">
          The file and the columns of this check are not in this page any more. Go back and check again.
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
