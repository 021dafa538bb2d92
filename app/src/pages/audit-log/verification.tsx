import { Alert, CloseButton, Group, Loader, Text } from '@mantine/core';
import type { Outputs } from '../../api/client.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';

type Result = Outputs['management']['audit']['verify'];

interface VerificationProps {
  isPending: boolean;
  error: unknown;
  result: Result | undefined;
  onClose: () => void;
}

/** Progress and result of a verification, in plain sentences. */
export function Verification({ isPending, error, result, onClose }: VerificationProps) {
  if (isPending)
    return (
      <Group className="notice" gap="sm" mb="sm" role="status">
        <Loader size={16} />
        <Text size="sm">Every event is compared with its seal. This takes a few seconds for 100,000 events.</Text>
      </Group>
    );
  if (error !== null) return <ErrorMessage title="The audit log could not be verified" error={error} />;
  if (result === undefined) return null;
  return result.intact ? <Intact result={result} onClose={onClose} /> : <Broken result={result} />;
}

const counted = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`;

function Intact({ result: { sealed, unsealed, head }, onClose }: { result: Result; onClose: () => void }) {
  return (
    <div className="notice" role="status">
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" fw={600}>
          The audit log is intact.
        </Text>
        <CloseButton size="sm" aria-label="Close the message" onClick={onClose} />
      </Group>
      <Text size="sm">
        {counted(sealed)} {sealed === 1 ? 'is' : 'are'} sealed. Each seal includes the one before it, so nobody changed,
        removed or inserted a sealed event.
      </Text>
      {unsealed > 0 && (
        <Text size="sm">
          {counted(unsealed)} {unsealed === 1 ? 'is' : 'are'} not sealed yet. The service seals new events within a
          minute or so.
        </Text>
      )}
      {head !== null && (
        <Text size="sm" c="dimmed">
          Seal {head.seq}: <span className="mono break">{head.hash}</span>{' '}
          <CopyButton value={head.hash} label="Copy seal" />
          <br />
          Store it outside this service. A later verification on the command line can then prove that the events up to
          it were not rewritten.
        </Text>
      )}
    </div>
  );
}

function Broken({ result: { reason, firstBad, sealed } }: { result: Result }) {
  return (
    <Alert color="red" variant="outline" role="alert" title="The audit log is not intact" mb="sm">
      <Text size="sm">
        Somebody changed the database beside the service: an event or a seal was modified, removed or inserted.
      </Text>
      <Text size="sm">
        First difference: <span className="mono">{reason}</span>
      </Text>
      <Text size="sm">
        {firstBad !== null && firstBad.seq !== null && firstBad.seq > 1
          ? `The ${counted(firstBad.seq - 1)} before it are intact. `
          : ''}
        The chain has {counted(sealed)}.
      </Text>
      <Text size="sm">
        Do not delete anything. Ask the operator of the service to keep a copy of the database, and to compare it with a
        backup.
      </Text>
    </Alert>
  );
}
