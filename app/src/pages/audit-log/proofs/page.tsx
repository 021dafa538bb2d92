import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { Page as Frame } from '../../../components/page.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { BackLink } from '../../../components/table/return/back-link.tsx';
import { useSearch } from '../../../components/table/use-search.ts';
import { useShortcut } from '../../../components/use-shortcut.ts';
import { columnsOf } from './columns.tsx';
import { ProofDetails } from './details.tsx';
import { HowToCheck } from './how-to-check.tsx';
import { NewProofDialog } from './new-proof-dialog.tsx';
import { useProofs } from './proof.ts';
import './proofs.css';
import { useMayProve } from './use-may-prove.ts';

/** Proofs of the last 30 days: their progress, downloads, and how anybody checks them. */
export function Page() {
  const mayProve = useMayProve();
  const [{ proof: shown }, setSearch] = useSearch(['proof']);
  const [isCreating, setIsCreating] = useState(false);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useProofs();
  const proofs = data?.pages.flatMap(({ items }) => items);
  useShortcut('c', () => setIsCreating(mayProve));
  const newProof = mayProve && <Button onClick={() => setIsCreating(true)}>New proof</Button>;
  return (
    <Frame title="Proofs" action={proofs?.length !== 0 && newProof}>
      <div className="proofs">
        <Group justify="space-between" mb="xs">
          <BackLink to="/audit-log" className="page-back">
            Back to the audit log
          </BackLink>
        </Group>
        <Text size="sm" c="dimmed" mb="sm">
          What an auditor takes away: one signed ZIP with the state at a time and the sealed events of a period. A proof
          is kept here for 30 days.
        </Text>
        {error !== null && (
          <ErrorMessage title="The proofs could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
        {(error === null || proofs !== undefined) && (
          <DataTable
            label="Proofs"
            columns={columnsOf({
              shown,
              onToggle: ({ uniqueId }) => setSearch({ proof: shown === uniqueId ? undefined : uniqueId }),
            })}
            rows={proofs}
            rowKey={({ uniqueId }) => uniqueId}
            onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
            details={(proof) => (proof.uniqueId === shown ? <ProofDetails proof={proof} /> : undefined)}
            empty={
              <EmptyState
                text="A proof shows an auditor what you did and when, in one file: tasks, vendors, evidence and the audit log. It is checked without trusting this service."
                action={newProof}
              />
            }
          />
        )}
        {error === null && <HowToCheck />}
      </div>
      <NewProofDialog
        opened={isCreating}
        onClose={() => setIsCreating(false)}
        onCreated={({ uniqueId }) => setSearch({ proof: uniqueId })}
      />
    </Frame>
  );
}
