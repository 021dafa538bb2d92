import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/form/confirm-dialog.tsx';
import type { Member } from '../../../components/person/use-members.ts';
import { handOver } from './hand-over.ts';
import type { Giver, Progress } from './hand-over.ts';
import { openTasksText, useOpenTaskCount } from './open-tasks.ts';
import { ReceiverField } from './receiver-field.tsx';

/** Ends a membership. The open tasks of the member can go to another one before. */
export function EndDialog({ member, onClose }: { member: Giver; onClose: () => void }) {
  const { uniqueId, name } = member;
  const [to, setTo] = useState<Member>();
  const [progress, setProgress] = useState<Progress>();
  const { data } = useOpenTaskCount(uniqueId);
  const count = data?.total ?? 0;
  const end = async () => {
    // An ended member gets no tasks back.
    if (to !== undefined) await handOver(member, to, { onProgress: setProgress, isUndoable: false });
    await client.management.member.end.mutate({ uniqueId });
    await Promise.all([
      queryClient.invalidateQueries(trpc.management.member.pathFilter()),
      queryClient.invalidateQueries(trpc.member.pathFilter()),
    ]);
  };
  return (
    <ConfirmDialog title="End this membership?" action="End membership" opened onClose={onClose} onConfirm={end}>
      <Stack gap="sm">
        <Text size="sm">
          {name} loses access to this company at once. What {name} did stays in the history. You can invite the person
          again.
        </Text>
        {count > 0 && (
          <ReceiverField
            from={member}
            label={`Hand over ${openTasksText(count)} to`}
            placeholder={`Nobody, they stay with ${name}`}
            onChange={setTo}
            progress={progress}
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
