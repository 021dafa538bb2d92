import { Button, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Time } from '../../components/time.tsx';
import { Section } from '../../components/section/section.tsx';
import { browserName } from '../../components/browser-name.ts';

/** Browsers in which the person is signed in. */
export function Sessions() {
  const { data, error } = useQuery(trpc.account.sessions.queryOptions());
  const end = useMutation({
    mutationFn: (uniqueId: string) => client.account.endSession.mutate({ uniqueId }),
    onSettled: () => queryClient.invalidateQueries(trpc.account.sessions.queryFilter()),
  });
  const failure = error ?? end.error;
  return (
    <Section title="Sessions" text="Browsers in which you are signed in. End those that you do not know.">
      {failure !== null && <ErrorMessage error={failure} />}
      {data !== undefined && (
        <Table aria-label="Sessions">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Browser</Table.Th>
              <Table.Th className="wide-only">Address</Table.Th>
              <Table.Th>Last seen</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.map(({ uniqueId, userAgent, address, seenAt, current }) => (
              <Table.Tr key={uniqueId}>
                <Table.Td title={userAgent}>{browserName(userAgent)}</Table.Td>
                <Table.Td className="wide-only">{address ?? 'Unknown'}</Table.Td>
                <Table.Td>
                  <Time value={seenAt} />
                </Table.Td>
                <Table.Td ta="end">
                  {current ? (
                    <Text size="sm" c="dimmed">
                      This session
                    </Text>
                  ) : (
                    <Button
                      variant="default"
                      size="compact-xs"
                      loading={end.isPending && end.variables === uniqueId}
                      onClick={() => end.mutate(uniqueId)}
                    >
                      End
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}
