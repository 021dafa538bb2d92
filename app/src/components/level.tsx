import { Group } from '@mantine/core';
import IconUrgent from '@tabler/icons-react/dist/esm/icons/IconAlertSquareRoundedFilled.mjs';

/** The level that needs attention first. */
const FIRST = 1;
/** Bars of the levels below it: three for the second, one for the last. */
const MAX_BARS = 3;
const BARS = Array.from({ length: MAX_BARS }, (_, index) => index);

/** Icon of a level from 1 to 4, for example of a priority, with its word. */
export function Level({ level, label }: { level: number; label: string }) {
  return (
    <Group gap={7} wrap="nowrap" display="inline-flex" style={{ verticalAlign: 'middle' }}>
      {level === FIRST ? (
        <IconUrgent size={16} color="var(--app-overdue)" aria-hidden />
      ) : (
        <Bars count={MAX_BARS + FIRST + 1 - level} />
      )}
      {label}
    </Group>
  );
}

const Bars = ({ count }: { count: number }) => (
  <svg width={16} height={16} viewBox="0 0 16 16" fill="var(--mantine-color-dimmed)" aria-hidden>
    {BARS.map((bar) => (
      <rect
        key={bar}
        x={1 + bar * 5}
        y={10 - bar * 4}
        width={3.5}
        height={4 + bar * 4}
        rx={1}
        opacity={bar < count ? 1 : 0.3}
      />
    ))}
  </svg>
);
