import { Button, CloseButton, Group, Progress, Text } from '@mantine/core';
import { ErrorMessage } from '../error-message.tsx';
import type { ExportState, useExport } from './use-export.ts';

interface ExportStatusProps extends Pick<ReturnType<typeof useExport>, 'state' | 'cancel' | 'dismiss'> {
  /** Word for the rows: `['event', 'events']`. */
  unit: readonly [one: string, many: string];
}

/** Progress and result of an export. */
export function ExportStatus({ state, cancel, dismiss, unit: [one, many] }: ExportStatusProps) {
  if (state === undefined) return null;
  if (state.status === 'failed')
    return <ErrorMessage title={`${state.fileName} could not be created`} error={state.error} />;
  const { status, rows, total } = state;
  const isRunning = status === 'running';
  const counted = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
  return (
    <Group className="notice" gap="sm" mb="sm" wrap="nowrap">
      <Text size="sm" role="status" style={{ flex: 1 }}>
        {sentence(state, counted)}
      </Text>
      {isRunning && (
        <>
          <Progress
            value={total === undefined || total === 0 ? 100 : (rows / total) * 100}
            animated={total === undefined}
            w={120}
            aria-label="Progress of the export"
          />
          <Button variant="default" size="xs" onClick={cancel}>
            Cancel
          </Button>
        </>
      )}
      {!isRunning && <CloseButton size="sm" aria-label="Close the message" onClick={dismiss} />}
    </Group>
  );
}

function sentence({ status, fileName, rows, total }: ExportState, counted: (count: number) => string): string {
  if (status === 'running')
    return `Reading ${total === undefined ? counted(rows) : `${rows.toLocaleString('en')} of ${counted(total)}`}`;
  if (status === 'canceled') return 'The export was canceled. No file was saved.';
  const saved = `${fileName} has ${counted(rows)}.`;
  return status === 'bounded'
    ? `${saved} This is the most that one file can hold. Use filters to export the rest.`
    : saved;
}
