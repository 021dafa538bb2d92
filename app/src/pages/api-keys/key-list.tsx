import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';
import { containsText } from '../../components/contains-text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { FilterBar } from '../../components/table/filter-bar.tsx';
import { SearchField } from '../../components/table/search-field.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { columns } from './columns.tsx';
import { keyState } from './key.ts';
import type { ApiKey } from './key.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';

export function KeyList() {
  const { isAdmin } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const [{ q = '' }, setSearch] = useSearch(['q']);
  const { data, error, refetch } = useQuery(trpc.management.apiKey.list.queryOptions());
  useShortcut('c', () => setIsCreating(isAdmin));
  const keys = data?.filter(({ name }) => containsText(name, q)).toSorted(byState);
  const newKey = isAdmin && <Button onClick={() => setIsCreating(true)}>New API key</Button>;

  return (
    <Frame title="API keys" action={newKey}>
      {error === null ? (
        <>
          <FilterBar total={keys?.length} unit={['key', 'keys']}>
            <SearchField label="Search keys" value={q} onChange={(text) => setSearch({ q: text })} />
          </FilterBar>
          <DataTable
            label="API keys"
            columns={columns}
            rows={keys}
            rowKey={({ uniqueId }) => uniqueId}
            empty={
              q === '' ? (
                <EmptyState
                  text="A program uses the API with a key of its own. Create one and try it with the command that is shown then."
                  action={newKey}
                />
              ) : (
                <EmptyState
                  text="No key has this name."
                  action={
                    <Button variant="default" onClick={() => setSearch({ q: '' })}>
                      Clear search
                    </Button>
                  }
                />
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
