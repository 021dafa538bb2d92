import { ActionIcon, Button, Checkbox, Group, Text, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { InputError } from '../../../api/errors.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { sizeText } from '../../../components/evidence/size.ts';
import { openDialog } from '../../../components/form/dialog.tsx';
import { FrameworkNames } from '../../../components/frameworks/framework-names.tsx';
import { FrameworksField, toFrameworks } from '../../../components/frameworks/frameworks-field.tsx';
import { Page as Frame } from '../../../components/page.tsx';
import { signingKeysQuery } from '../../../components/signing-keys.ts';
import { Section } from '../../../components/section/section.tsx';
import { StatusDot, statusText } from '../../../components/status-dot.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { BackLink } from '../../../components/table/back-link.tsx';
import { useSearch } from '../../../components/table/use-search.ts';
import { useLoadMore } from '../../../components/table/use-load-more.ts';
import { Time } from '../../../components/time.tsx';
import { useShortcut } from '../../../components/use-shortcut.ts';
import { localDate, timeText } from '../../../dates.ts';
import { endOfDay, startOfDay } from '../days.ts';
import { ProofDetails } from './details.tsx';
import { contentPath, createProof, useProgress, useProofs } from './proof.ts';
import type { Proof } from './proof.ts';
import './proofs.css';
import { useMayProve } from './use-may-prove.ts';

interface ColumnOptions {
  /** uniqueId of the proof that is unfolded. */
  shown: string | undefined;
  /** uniqueId of the proof that a link led to. */
  linked: string | undefined;
  onToggle: (proof: Proof) => void;
}

/** Columns of the list. The button with the period unfolds the rest. */
const columnsOf = ({ shown, linked, onToggle }: ColumnOptions): readonly Column<Proof>[] => [
  {
    id: 'period',
    header: 'Period',
    className: 'wrap',
    render: (proof) => (
      <>
        <UnstyledButton
          className="expander"
          ref={linked === proof.uniqueId ? scrollIntoView : undefined}
          aria-expanded={shown === proof.uniqueId}
          onClick={() => onToggle(proof)}
        >
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
    header: 'Download',
    width: 96,
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

const scrollIntoView = (button: HTMLElement | null) => button?.scrollIntoView({ block: 'center' });

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

const EMPTY: { from: string; asOf: string; frameworks: string[]; evidence: boolean } = {
  from: '',
  asOf: '',
  frameworks: [],
  evidence: true,
};

/** Asks for a period, the frameworks and the files. Days are those of the person's time zone. */
export function openNewProof(onCreated: (proof: Proof) => void): void {
  const today = localDate();
  openDialog({
    title: 'New proof',
    initial: EMPTY,
    fields: (form) => (
      <>
        <TextInput
          type="date"
          label="From"
          description="The first day of the events. Leave empty to start at the beginning of the log, so that anybody can rebuild the registers from the events."
          max={today}
          {...form.text('from')}
        />
        <TextInput
          type="date"
          label="As of"
          description="Shows tasks, vendors and everything else as they were at the end of this day. Leave empty for the current state."
          max={today}
          {...form.text('asOf')}
        />
        <FrameworksField {...form.field('frameworks')} />
        <Checkbox
          label="Include evidence files"
          description="Without the files, the proof still lists their names, sizes and SHA-256"
          checked={form.values.evidence}
          onChange={({ currentTarget }) => form.set('evidence', currentTarget.checked)}
        />
      </>
    ),
    button: 'Create proof',
    submit: async ({ from, asOf, frameworks, evidence }) => {
      if (asOf > today) throw new InputError('asOf: choose today or an earlier day');
      if (from > (asOf === '' ? today : asOf)) throw new InputError('from: choose a day that is not after "As of"');
      onCreated(
        await createProof({
          from: startOfDay(from),
          asOf: asOf === today ? undefined : lastMoment(asOf),
          frameworks: toFrameworks(frameworks),
          evidence,
        }),
      );
    },
  });
}

/** The last millisecond of a day; undefined without a day. */
function lastMoment(day: string): string | undefined {
  const end = endOfDay(day);
  return end === undefined ? undefined : new Date(Date.parse(end) - 1).toISOString();
}

const COMMANDS = ['unzip proof.zip verify.mjs', 'node verify.mjs proof.zip'] as const;

/** Says how anybody checks a proof without this service. */
function HowToCheck() {
  const { data: keys } = useQuery(signingKeysQuery);
  return (
    <Section
      title="How to check it"
      text="Give the ZIP to the auditor. Anybody can check it without an account, and without relying on this service or its operator."
    >
      <ul className="check-ways">
        <li>
          In a browser: <a href="/proof/check">Check a proof</a>. The file does not leave the computer.
        </li>
        <li>
          With Node 20 or later, offline. Rename the file to proof.zip, then:
          {COMMANDS.map((command) => (
            <span key={command} className="command">
              <code className="mono">{command}</code>
              <CopyButton value={command} label={`Copy ${command}`} />
            </span>
          ))}
        </li>
        <li>By hand: README.txt in the ZIP has the commands with unzip, sha256sum and openssl.</li>
      </ul>
      {keys !== undefined && keys.fingerprints.length > 0 && (
        <div className="fingerprints">
          <Text size="sm">
            The check prints the fingerprint of the key that signed the proof. This must be{' '}
            {keys.fingerprints.length === 1
              ? 'the fingerprint of this installation'
              : 'one of the fingerprints of this installation, including old ones'}
            . Send it to the auditor separately from the proof:
          </Text>
          {keys.fingerprints.map((fingerprint) => (
            <span key={fingerprint} className="command">
              <code className="mono">{fingerprint}</code>
              <CopyButton value={fingerprint} label={`Copy fingerprint ${fingerprint}`} />
            </span>
          ))}
        </div>
      )}
    </Section>
  );
}

/** Proofs of the last 30 days: their progress, downloads, and how anybody checks them. */
export function Page() {
  const mayProve = useMayProve();
  const [{ proof: shown }, setSearch] = useSearch(['proof']);
  const query = useProofs();
  const { data, error, refetch } = query;
  const loadMore = useLoadMore(query);
  const proofs = data?.pages.flatMap(({ items }) => items);
  // A link that leads to one proof, and not to the list, has its row in view.
  const [linked] = useState(shown);
  const create = () => openNewProof(({ uniqueId }) => setSearch({ proof: uniqueId }));
  useShortcut('c', () => mayProve && create());
  const newProof = mayProve && <Button onClick={create}>New proof</Button>;
  return (
    <Frame title="Proofs" action={proofs?.length !== 0 && newProof}>
      <div className="proofs">
        <Group justify="space-between" mb="xs">
          <BackLink to="/audit-log">Back to the audit log</BackLink>
        </Group>
        <Text size="sm" c="dimmed" mb="sm">
          A proof is a signed ZIP file for an auditor. It has the state of your records at one time and the sealed
          events of a period. Proofs are kept here for 30 days.
        </Text>
        {error !== null && (
          <ErrorMessage title="The proofs could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
        {(error === null || proofs !== undefined) && (
          <DataTable
            label="Proofs"
            columns={columnsOf({
              shown,
              linked,
              onToggle: ({ uniqueId }) => setSearch({ proof: shown === uniqueId ? undefined : uniqueId }),
            })}
            rows={proofs}
            rowKey={({ uniqueId }) => uniqueId}
            onLoadMore={loadMore}
            details={(proof) => (proof.uniqueId === shown ? <ProofDetails proof={proof} /> : undefined)}
            empty={
              <EmptyState
                text="A proof shows an auditor what you did and when, in one file: tasks, vendors, evidence and the audit log. The auditor can check it without having to trust this service."
                action={newProof}
              />
            }
          />
        )}
        {error === null && <HowToCheck />}
      </div>
    </Frame>
  );
}
