import { Progress, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { FileDrop } from '../../components/form/file-drop.tsx';
import { usePageTitle } from '../../components/page.tsx';
import './check.css';
import { checkProof } from './check.ts';
import type { Chosen } from './check.ts';
import { Result } from './result.tsx';

const TITLE = 'Check a proof';

/** Verifies a proof on the person's machine, without a sign-in. */
export function Page() {
  usePageTitle(TITLE);
  const [proof, setProof] = useState<File>();
  const [checkpoint, setCheckpoint] = useState<File>();
  // Each choice is a new check, also of a file with the same name.
  const [number, setNumber] = useState(0);
  const choose = (change: () => void) => {
    change();
    setNumber((previous) => previous + 1);
  };
  return (
    <main className="entry check-entry">
      <div className="entry-card check-card">
        <Stack gap="lg">
          <div>
            <Title order={1}>{TITLE}</Title>
            <Text size="sm" c="dimmed" mt={4}>
              The check runs in this browser, on your computer. The files are not sent anywhere.
            </Text>
          </div>
          <FileDrop
            label="Proof"
            accept=".zip,application/zip"
            file={proof}
            onChange={(file) => choose(() => setProof(file))}
          >
            Choose the ZIP or drop it here.
          </FileDrop>
          <FileDrop
            label="Checkpoint (optional)"
            accept=".json,application/json"
            file={checkpoint}
            onChange={(file) => choose(() => setCheckpoint(file))}
          >
            A head of the audit log that was stored elsewhere. The check shows whether the log in the proof continues
            from it without changes.
          </FileDrop>
          {proof !== undefined && <Check key={number} number={number} chosen={{ proof, checkpoint }} />}
        </Stack>
      </div>
    </main>
  );
}

/** Runs a check, and shows its progress and its outcome. */
function Check({ number, chosen }: { number: number; chosen: Chosen }) {
  const [share, setShare] = useState(0);
  const { data, error } = useQuery({
    queryKey: ['proof-check', number],
    queryFn: ({ signal }) => checkProof(chosen, setShare, signal),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  if (error !== null) return <ErrorMessage title="The proof could not be checked" error={error} />;
  if (data !== undefined) return <Result outcome={data} />;
  const percent = Math.floor(share * 100);
  return (
    <Stack gap={6} className="check-running">
      <Progress value={percent} aria-label="Progress of the check" />
      <Text size="sm">{percent === 0 ? 'Reading the proof.' : `${percent} % checked.`}</Text>
      <Skeleton height={160} />
    </Stack>
  );
}
