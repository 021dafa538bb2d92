import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/form/confirm-dialog.tsx';
import type { Member } from '../../../components/person/use-members.ts';
import { handOver } from './hand-over.ts';
import type { Giver, Progress } from './hand-over.ts';
import { ReceiverField } from './receiver-field.tsx';

interface HandOverDialogProps {
  from: Giver;
  onClose: () => void;
}

/** Gives the open tasks of a member to another one. */
export function HandOverDialog({ from, onClose }: HandOverDialogProps) {
  const [to, setTo] = useState<Member>();
  const [progress, setProgress] = useState<Progress>();
  const send = async () => {
    if (to === undefined) throw new Error('Choose a member first.');
    await handOver(from, to, { onProgress: setProgress });
  };
  return (
    <ConfirmDialog
      title={`Hand over the open tasks of ${from.name}?`}
      action="Hand over"
      color="indigo"
      opened
      onClose={onClose}
      onConfirm={send}
    >
      <Stack gap="sm">
        <Text size="sm">Another member gets them. Tasks that are closed stay with {from.name}.</Text>
        <ReceiverField from={from} label="Hand over to" onChange={setTo} progress={progress} />
      </Stack>
    </ConfirmDialog>
  );
}
