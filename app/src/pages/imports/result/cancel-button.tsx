import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { ErrorMessage } from '../../../components/error-message.tsx';

/** Cancels an import that has not ended. */
export function CancelButton({ uniqueId }: { uniqueId: string }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.import.cancel.mutate({ importUniqueId: uniqueId }),
    onSettled: () => queryClient.invalidateQueries(trpc.import.pathFilter()),
  });
  return (
    <Group justify="flex-end">
      {error !== null && <ErrorMessage error={error} />}
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        Cancel
      </Button>
    </Group>
  );
}
