import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../form/confirm-dialog.tsx';
import type { Parent } from '../../timeline/parent.ts';
import { evidenceText, useEvidence } from './evidence.ts';

interface DeleteButtonProps {
  type: 'task' | 'vendor';
  parent: Parent;
  title: string;
  onDelete: () => void;
}

/** Deletes a task or vendor. If it has evidence, a dialog says first that its evidence goes too. */
export function DeleteButton({ type, parent, title, onDelete }: DeleteButtonProps) {
  const { items = [], hasNextPage } = useEvidence(parent);
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        onClick={items.length === 0 ? onDelete : () => setIsAsking(true)}
      >
        Delete
      </Button>
      <ConfirmDialog
        title={`Delete this ${type} and its evidence?`}
        action={`Delete ${type} and evidence`}
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => Promise.resolve(onDelete())}
      >
        “<bdi>{title}</bdi>” has {hasNextPage ? `more than ${evidenceText(items.length)}` : evidenceText(items.length)}.
        Files and links go with the {type}, and cannot be restored. The audit log keeps their names.
      </ConfirmDialog>
    </>
  );
}
