import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../../components/copy-button.tsx';
import { sizeText } from '../../../components/evidence/size.ts';
import { askToConfirm } from '../../../components/form/dialog.tsx';
import { FrameworkNames } from '../../../components/frameworks/framework-names.tsx';
import { Facts } from '../../../components/section/facts.tsx';
import { Time } from '../../../components/time.tsx';
import { durationText, timeText } from '../../../dates.ts';
import { contentPath, deleteProof, hasEnded, useProgress } from './proof.ts';
import type { Proof } from './proof.ts';

/** Everything about a proof, and what can be done with it. */
export function ProofDetails({ proof }: { proof: Proof }) {
  const { state, from, asOf, frameworks, evidence, size, sha256, sequence, hash, reason } = proof;
  return (
    <Stack gap="md">
      {state === 'failed' && (
        <Alert color="red" variant="outline" role="alert" title="The proof could not be made">
          <Text size="sm" className="break">
            {reason}
          </Text>
        </Alert>
      )}
      {!hasEnded(proof) && <ProofProgress proof={proof} />}
      <Facts
        facts={[
          ['From', from === null ? 'The beginning of the log' : <Time key="from" value={from} isExact />],
          ['As of', <Time key="asOf" value={asOf} isExact />],
          ['Frameworks', <FrameworkNames key="frameworks" ids={frameworks} />],
          ['Evidence files', evidence ? 'With' : 'Without'],
          ['Created', <Time key="created" value={proof.createdAt} isExact />],
          ['Created by', proof.createdBy.name],
          ['Size', size === null ? undefined : sizeText(size)],
          ['Last event', sequence ?? undefined],
        ]}
      />
      {sha256 !== null && hash !== null && (
        <Facts
          facts={[
            ['SHA-256 of the ZIP', <Digest key="sha256" value={sha256} label="Copy SHA-256" />],
            ['Seal of the last event', <Digest key="hash" value={hash} label="Copy seal" />],
          ]}
        />
      )}
      <Actions proof={proof} />
    </Stack>
  );
}

const Digest = ({ value, label }: { value: string; label: string }) => (
  <span className="digest">
    <span className="mono">{value}</span>
    <CopyButton value={value} label={label} />
  </span>
);

/** Progress of a proof that has not ended, with the time left. */
function ProofProgress({ proof }: { proof: Proof }) {
  const progress = useProgress(proof);
  const { percent = 0, secondsLeft = null } = progress ?? {};
  const text =
    proof.state === 'queued'
      ? 'Waiting for its turn, because only one proof is made at a time.'
      : [`${percent} %`, secondsLeft !== null && `about ${durationText(secondsLeft)} left`]
          .filter((part) => part !== false)
          .join(', ');
  return (
    <Stack gap={6}>
      <Progress value={percent} aria-label="Progress of the proof" />
      <Text size="sm" className="proof-progress">
        {text}
      </Text>
      <Text size="xs" c="dimmed">
        You can leave this page while the proof is being made. You will find a message in your inbox when it has
        finished.
      </Text>
    </Stack>
  );
}

function Actions({ proof }: { proof: Proof }) {
  const isOver = hasEnded(proof);
  const action = isOver ? 'Delete proof' : 'Cancel proof';
  const ask = () =>
    askToConfirm({
      title: isOver ? 'Delete this proof?' : 'Cancel this proof?',
      text: isOver
        ? `The proof as of ${timeText(proof.asOf)} cannot be restored. Copies that were already downloaded remain valid.`
        : 'The proof will not be made, and it disappears from the list. This cannot be undone.',
      button: action,
      submit: () => deleteProof(proof),
    });
  return (
    <Group gap="xs">
      {proof.state === 'done' && (
        <Button component="a" variant="default" href={contentPath(proof)} download>
          Download ZIP
        </Button>
      )}
      <Button variant="default" c="var(--mantine-color-error)" onClick={ask}>
        {action}
      </Button>
    </Group>
  );
}
