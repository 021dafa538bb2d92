import { Button, Group, Stack } from '@mantine/core';
import { Result } from '../result/result.tsx';
import type { SentRows } from '../result/rejected-rows.tsx';
import { hasEnded } from '../use-imports.ts';
import type { Import } from '../use-imports.ts';

interface ImportStepProps {
  item: Import;
  at: number;
  /** Rows of the file, if it is in this page and was not changed since. */
  sentRows: SentRows | undefined;
  onBack: () => void;
  onRestart: () => void;
}

/** The step "Import": progress and result. */
export function ImportStep({ item, at, sentRows, onBack, onRestart }: ImportStepProps) {
  const isIncomplete = item.state === 'canceled' || item.state === 'failed';
  return (
    <Stack gap="sm">
      <Result item={item} at={at} sentRows={sentRows} />
      {hasEnded(item) && (
        <Group justify="space-between">
          {isIncomplete && sentRows !== undefined && (
            <Button variant="default" onClick={onBack}>
              Back
            </Button>
          )}
          <Button onClick={onRestart}>Import another file</Button>
        </Group>
      )}
    </Stack>
  );
}
