import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, trpc } from '../../../api/client.ts';
import { ErrorMessage } from '../../error-message.tsx';
import { ConfirmDialog } from '../../form/confirm-dialog.tsx';
import { recordQuery } from '../../record/record-page.tsx';
import type { Parent } from '../../timeline/parent.ts';
import { reloadEvidence } from '../start/evidence.ts';
import type { Evidence } from '../start/evidence.ts';
import { DetailFacts } from './facts.tsx';
import { DetailFields } from './fields.tsx';
import { Preview } from './preview.tsx';

interface DetailsProps {
  item: Evidence;
  parent: Parent;
  readOnly: boolean;
  onDeleted: () => void;
}

/** A piece of evidence that is unfolded: its preview, and the fields or their values as text. */
export const Details = ({ item, parent, readOnly, onDeleted }: DetailsProps) => (
  <div className="evidence-details">
    <Preview item={item} />
    {readOnly ? <DetailFacts item={item} /> : <LoadedFields item={item} parent={parent} />}
    {!readOnly && <Deletion item={item} parent={parent} onDeleted={onDeleted} />}
  </div>
);

/** The fields begin with the newest state. */
function LoadedFields({ item: { uniqueId: evidence }, parent }: Pick<DetailsProps, 'item' | 'parent'>) {
  const { data, error, refetch } = useQuery({ ...trpc.evidence.get.queryOptions({ evidence }), ...recordQuery });
  if (error !== null)
    return <ErrorMessage title="The evidence could not be loaded" error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton h={120} /> : <DetailFields loaded={data} parent={parent} />;
}

function Deletion({ item, parent, onDeleted }: Omit<DetailsProps, 'readOnly'>) {
  const [isAsking, setIsAsking] = useState(false);
  const { uniqueId: evidence, name, kind } = item;
  const remove = async () => {
    await client.evidence.delete.mutate({ evidence });
    await reloadEvidence(parent);
    onDeleted();
  };
  return (
    <div>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setIsAsking(true)}>
        Delete {kind}
      </Button>
      <ConfirmDialog
        title={`Delete this ${kind}?`}
        action="Delete"
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={remove}
      >
        “<bdi>{name}</bdi>” cannot be restored. The audit log keeps its name and dates
        {kind === 'file' ? ', and size and SHA-256 of the file.' : '.'}
      </ConfirmDialog>
    </div>
  );
}
