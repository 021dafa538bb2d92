import { Progress as Bar, Stack, Text } from '@mantine/core';
import { durationText } from '../../../dates.ts';
import { doneRows } from '../use-imports.ts';
import type { Import } from '../use-imports.ts';
import { useSpeed } from './use-speed.ts';

interface ProgressProps {
  item: Import;
  /** Time at which it was read, in milliseconds. */
  at: number;
}

/** Progress of an import: rows, rows per second and the time left. */
export function Progress({ item, at }: ProgressProps) {
  const { rows, dryRun } = item;
  const done = doneRows(item);
  const speed = useSpeed(done, at);
  const parts = [
    rows > 0 && `${numberText(done)} of ${numberText(rows)} rows`,
    speed !== undefined && `${numberText(Math.round(speed))} rows per second`,
    speed !== undefined && rows > 0 && `about ${durationText((rows - done) / speed)} left`,
  ].filter((part) => part !== false);
  return (
    <Stack gap={6}>
      <Bar
        value={rows === 0 ? 100 : (done / rows) * 100}
        animated={rows === 0}
        aria-label={dryRun ? 'Progress of the check' : 'Progress of the import'}
      />
      <Text size="sm" className="progress-text">
        {parts.length === 0 ? 'The file is read.' : parts.join(', ')}
      </Text>
    </Stack>
  );
}

const numberText = (value: number): string => value.toLocaleString('en');
