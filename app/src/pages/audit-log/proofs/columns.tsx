import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { sizeText } from '../../../components/evidence/size.ts';
import { FrameworkNames } from '../../../components/frameworks/framework-names.tsx';
import { StatusDot, statusText } from '../../../components/status-dot.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { Time } from '../../../components/time.tsx';
import { timeText } from '../../../dates.ts';
import { contentPath, useProgress } from './proof.ts';
import type { Proof } from './proof.ts';

interface ColumnOptions {
  /** uniqueId of the proof that is unfolded. */
  shown: string | undefined;
  onToggle: (proof: Proof) => void;
}

/** Columns of the list. The button with the period unfolds the rest. */
export const columnsOf = ({ shown, onToggle }: ColumnOptions): readonly Column<Proof>[] => [
  {
    id: 'period',
    header: 'Period',
    className: 'wrap',
    render: (proof) => (
      <>
        <UnstyledButton className="expander" aria-expanded={shown === proof.uniqueId} onClick={() => onToggle(proof)}>
          <IconChevron size={14} aria-hidden />
          <Period {...proof} />
        </UnstyledButton>
        <span className="proof-narrow">
          <State proof={proof} />
        </span>
      </>
    ),
  },
  { id: 'state', header: 'State', width: 134, leaves: 6, render: (proof) => <State proof={proof} /> },
  {
    id: 'frameworks',
    header: 'Frameworks',
    width: 120,
    leaves: 3,
    render: ({ frameworks }) => <FrameworkNames ids={frameworks} />,
  },
  { id: 'files', header: 'Files', width: 84, leaves: 2, render: ({ evidence }) => (evidence ? 'With' : 'Without') },
  {
    id: 'size',
    header: 'Size',
    width: 84,
    leaves: 5,
    className: 'align-end',
    render: ({ size }) => size !== null && sizeText(size),
  },
  { id: 'by', header: 'Created by', width: 150, leaves: 1, render: ({ createdBy }) => createdBy.name },
  { id: 'created', header: 'Created', width: 192, leaves: 4, render: ({ createdAt }) => <Time value={createdAt} /> },
  {
    id: 'download',
    header: '',
    width: 52,
    className: 'align-end',
    render: (proof) =>
      proof.state === 'done' && (
        <Tooltip label="Download">
          <ActionIcon
            component="a"
            href={contentPath(proof)}
            download
            variant="subtle"
            color="gray"
            aria-label={`Download the proof as of ${timeText(proof.asOf)}`}
          >
            <IconDownload size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ),
  },
];

/** "The beginning to 27 Nov 2026, 11:05" */
const Period = ({ from, asOf }: Pick<Proof, 'from' | 'asOf'>) => (
  <span className="proof-period">
    <span>{from === null ? 'The beginning' : timeText(from)}</span> to <span>{timeText(asOf)}</span>
  </span>
);

/** The state, with the share of the work that is done. */
function State({ proof }: { proof: Proof }) {
  const progress = useProgress(proof);
  const { state } = proof;
  const label =
    state === 'running' && progress !== undefined ? `${statusText(state)}, ${progress.percent} %` : statusText(state);
  return <StatusDot status={state} label={label} />;
}
