import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, queryClient, trpc } from '../../api/client.ts';
import { containsText } from '../../components/contains-text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { openDialog, showSecret } from '../../components/form/dialog.tsx';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { searchFilter } from '../../components/table/filters.tsx';
import { ListBar, useList } from '../../components/table/list.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { curlCommand, KeyFields, keyState, newKeyValues, scopesText, toRestrictions } from './key-fields.tsx';
import { KeyPage } from './key-page.tsx';
import type { ApiKey } from './key-fields.tsx';

const timeOr = (value: string | null, text: string) => (value === null ? text : <Time value={value} />);

const columns: readonly Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    className: 'title',
    render: ({ uniqueId, name }) => (
      <Link to="/api-keys" search={{ key: uniqueId }} title={name} dir="auto">
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
  {
    id: 'lastUsedAt',
    header: 'Last use',
    width: 130,
    leaves: 5,
    render: ({ lastUsedAt }) => timeOr(lastUsedAt, 'Never'),
  },
];

/** Creates a key and shows it once. */
const openNewKey = () =>
  openDialog({
    title: 'New API key',
    initial: newKeyValues(),
    fields: (form) => <KeyFields form={form} />,
    button: 'Save',
    submit: async (values) => {
      const { key } = await client.management.apiKey.create.mutate({ name: values.name, ...toRestrictions(values) });
      showSecret({ title: 'API key created', label: 'key', secret: key, curl: curlCommand(key) });
      await queryClient.invalidateQueries(trpc.management.apiKey.pathFilter());
    },
  });

function KeyList() {
  const { isAdmin } = useSession();
  const list = useList({ name: 'keys', unit: ['key', 'keys'], columns, filters: { q: searchFilter('Search keys') } });
  const q = list.values['q'] ?? '';
  const { data, error, refetch } = useQuery(trpc.management.apiKey.list.queryOptions());
  useShortcut('c', () => isAdmin && openNewKey());
  const keys = data?.filter(({ name }) => containsText(name, q)).toSorted(byState);
  const newKey = isAdmin && <Button onClick={openNewKey}>New API key</Button>;

  return (
    <Frame
      title="API keys"
      action={
        <Group gap="xs">
          <Button component="a" href="/docs" target="_blank" variant="default">
            API documentation
          </Button>
          {newKey}
        </Group>
      }
    >
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
                  text="Each program that uses the API needs its own key. Create one, and try it with the command that you will see."
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
    </Frame>
  );
}

/** Revoked keys are last, new ones first. */
const byState = (a: ApiKey, b: ApiKey) =>
  Number(keyState(a) === 'revoked') - Number(keyState(b) === 'revoked') || b.createdAt.localeCompare(a.createdAt);

/** The table of keys, or the key in the URL: `/api-keys?key=<uniqueId>`. */
export function Page() {
  const [{ key }] = useSearch(['key']);
  return key === undefined ? <KeyList /> : <KeyPage key={key} uniqueId={key} />;
}
