import { Button, UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { Time } from '../../../components/time.tsx';
import { StatusDot } from '../../../components/status-dot.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { deliveryStatus, isSoon } from './delivery.ts';
import type { Delivery } from './delivery.ts';

interface ColumnOptions {
  expanded: ReadonlySet<string>;
  onToggle: (uniqueId: string) => void;
}

/** Columns of the log. The button with the type shows and hides the whole error. */
export const columnsOf = ({ expanded, onToggle }: ColumnOptions): readonly Column<Delivery>[] => [
  {
    id: 'type',
    header: 'Type',
    render: ({ uniqueId, type }) => (
      <UnstyledButton className="expander" aria-expanded={expanded.has(uniqueId)} onClick={() => onToggle(uniqueId)}>
        <IconChevron size={14} aria-hidden />
        <span>{type}</span>
      </UnstyledButton>
    ),
  },
  { id: 'lastStatus', header: 'Last status', width: 170, render: (row) => <StatusDot {...deliveryStatus(row)} /> },
  {
    id: 'sequence',
    header: 'Sequence',
    width: 84,
    leaves: 2,
    className: 'align-end',
    render: ({ sequence }) => sequence ?? <span className="quiet">None</span>,
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: 80,
    leaves: 3,
    className: 'align-end',
    render: ({ attempts }) => attempts,
  },
  {
    id: 'nextAttemptAt',
    header: 'Next attempt',
    width: 130,
    leaves: 4,
    render: (row) => <NextAttempt delivery={row} />,
  },
  {
    id: 'lastError',
    header: 'Last error',
    width: 180,
    leaves: 1,
    render: ({ lastError }) => lastError,
  },
];

export const replayColumn = (replay: Replay): Column<Delivery> => ({
  id: 'actions',
  header: '',
  width: 84,
  leaves: 5,
  className: 'align-end',
  render: ({ sequence }) => <ReplayButton sequence={sequence} replay={replay} />,
});

export interface Replay {
  /** Sequence of the event that is replayed now. */
  running: number | undefined;
  start: (sequence: number) => void;
}

interface ReplayButtonProps {
  sequence: number | null;
  replay: Replay;
  className?: string;
}

/** Delivers an event again. A test event has no sequence and cannot be replayed. */
export function ReplayButton({ sequence, replay: { running, start }, className }: ReplayButtonProps) {
  if (sequence === null) return null;
  return (
    <Button
      variant="default"
      size="compact-xs"
      aria-label={`Replay event ${sequence}`}
      loading={running === sequence}
      onClick={() => start(sequence)}
      {...(className !== undefined && { className })}
    >
      Replay
    </Button>
  );
}

/** Time of the next attempt. */
export function NextAttempt({ delivery }: { delivery: Delivery }) {
  const { nextAttemptAt } = delivery;
  if (nextAttemptAt === null) return <span className="quiet">None</span>;
  return isSoon(delivery) ? 'In a moment' : <Time value={nextAttemptAt} withRelative />;
}
