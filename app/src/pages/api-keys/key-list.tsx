import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { containsText } from '../../components/contains-text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { SecretDialog } from '../../components/form/secret-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { searchFilter } from '../../components/table/filters.tsx';
import { ListBar, useList } from '../../components/table/list.tsx';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { KeyFields, newKeyValues, toRestrictions } from './key-fields.tsx';
import { curlCommand, keyState, scopesText } from './key.ts';
import type { ApiKey } from './key.ts';

const timeOr = (value: string | null, text: string) => (value === null ? text : <Time value={value} />);

const columns: readonly Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    render: ({ uniqueId, name }) => (
      <Link to="/api-keys" search={{ key: uniqueId }} title={name}>
        {name}
      </Link>
    ),
  },
  {
    id: 'key',
    header: 'Key',
    width: 196,
    leaves: 2,
    render: ({ start, last4 }) => (
      <span className="mono">
        {start}…{last4}
      </span>
    ),
  },
  { id: 'status', header: 'Status', width: 110, render: (key) => <StatusDot status={keyState(key)} /> },
  {
    id: 'scopes',
    header: 'Scopes',
    width: 170,
    leaves: 3,
    className: 'wrap',
    render: (key) => <span title={key.scopes.join(', ')}>{scopesText(key)}</span>,
  },
  {
    id: 'frameworks',
    header: 'Frameworks',
    width: 150,
    leaves: 1,
    className: 'wrap',
    render: ({ frameworks }) => <FrameworkNames ids={frameworks} />,
  },
  {
    id: 'expiresAt',
    header: 'Expiry',
    width: 130,
    leaves: 4,
    render: ({ expiresAt }) => timeOr(expiresAt, 'Never'),
  },
  { id: 'lastUsedAt', header: 'Last use', width: 130, render: ({ lastUsedAt }) => timeOr(lastUsedAt, 'Never') },
];

interface NewKeyDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Creates a key and shows it once. */
function NewKeyDialog({ opened, onClose }: NewKeyDialogProps) {
  const form = useServerForm(newKeyValues());
  const [key, setKey] = useState<string>();
  return (
    <>
      <FormDialog
        title="New API key"
        submitLabel="Save"
        opened={opened}
        onClose={onClose}
        form={form}
        onSubmit={async (values) => {
          const created = await client.management.apiKey.create.mutate({
            name: values.name,
            ...toRestrictions(values),
          });
          setKey(created.key);
          await queryClient.invalidateQueries(trpc.management.apiKey.pathFilter());
        }}
      >
        <KeyFields form={form} />
      </FormDialog>
      <SecretDialog
        title="API key created"
        label="key"
        secret={key}
        curl={key === undefined ? undefined : curlCommand(key)}
        onClose={() => setKey(undefined)}
      />
    </>
  );
}

export function KeyList() {
  const { isAdmin } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const list = useList({ name: 'keys', unit: ['key', 'keys'], columns, filters: { q: searchFilter('Search keys') } });
  const q = list.values['q'] ?? '';
  const { data, error, refetch } = useQuery(trpc.management.apiKey.list.queryOptions());
  useShortcut('c', () => setIsCreating(isAdmin));
  const keys = data?.filter(({ name }) => containsText(name, q)).toSorted(byState);
  const newKey = isAdmin && <Button onClick={() => setIsCreating(true)}>New API key</Button>;

  return (
    <Frame title="API keys" action={newKey}>
      {error === null ? (
        <>
          <ListBar list={list} total={keys?.length} />
          <DataTable
            {...list.table}
            label="API keys"
            rows={keys}
            rowKey={({ uniqueId }) => uniqueId}
            empty={
              q === '' ? (
                <EmptyState
                  text="A program uses the API with a key of its own. Create one and try it with the command that is shown then."
                  action={newKey}
                />
              ) : (
                <EmptyState text="No key has this name." />
              )
            }
          />
        </>
      ) : (
        <ErrorMessage title="The API keys could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      <NewKeyDialog opened={isCreating} onClose={() => setIsCreating(false)} />
    </Frame>
  );
}

/** Revoked keys are last, new ones first. */
const byState = (a: ApiKey, b: ApiKey) =>
  Number(keyState(a) === 'revoked') - Number(keyState(b) === 'revoked') || b.createdAt.localeCompare(a.createdAt);
