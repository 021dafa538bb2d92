import { Button, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { addPasskey, hasPasskeys, isCancelled } from '../../api/passkey.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { ConfirmDialog } from '../../components/form/confirm-dialog.tsx';
import { Time } from '../../components/time.tsx';
import { Section } from '../../components/section/section.tsx';

type Passkey = Outputs['account']['get']['passkeys'][number];

const reload = () => queryClient.invalidateQueries(trpc.account.get.queryFilter());

/** Passkeys of the person, which sign in without a password. */
export function Passkeys({ passkeys }: { passkeys: readonly Passkey[] }) {
  const add = useMutation({ mutationFn: addPasskey, onSuccess: reload });
  const [removing, setRemoving] = useState<string>();
  const remove = async () => {
    if (removing === undefined) return;
    await client.account.passkey.remove.mutate({ uniqueId: removing });
    await reload();
  };
  return (
    <Section
      title="Passkeys"
      text="A passkey signs you in with this device or a security key, without password and code."
      action={
        hasPasskeys() && (
          <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
            Add passkey
          </Button>
        )
      }
    >
      {add.error !== null && !isCancelled(add.error) && <ErrorMessage error={add.error} />}
      {!hasPasskeys() && (
        <Text size="sm" c="dimmed">
          {window.isSecureContext
            ? 'This browser cannot add passkeys.'
            : 'Browsers have passkeys only at addresses that begin with https.'}
        </Text>
      )}
      {passkeys.length === 0 ? (
        <Text size="sm" c="dimmed">
          No passkey yet.
        </Text>
      ) : (
        <Table aria-label="Passkeys">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Added</Table.Th>
              <Table.Th>Last use</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {passkeys.map(({ uniqueId, createdAt, lastUsedAt }) => (
              <Table.Tr key={uniqueId}>
                <Table.Td>
                  <Time value={createdAt} />
                </Table.Td>
                <Table.Td>{lastUsedAt === null ? 'Never' : <Time value={lastUsedAt} />}</Table.Td>
                <Table.Td ta="end">
                  <Button variant="default" size="compact-xs" onClick={() => setRemoving(uniqueId)}>
                    Remove
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <ConfirmDialog
        title="Remove this passkey?"
        action="Remove"
        opened={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        onConfirm={remove}
      >
        <Text size="sm">It no longer signs you in. Your other ways to sign in stay.</Text>
      </ConfirmDialog>
    </Section>
  );
}
