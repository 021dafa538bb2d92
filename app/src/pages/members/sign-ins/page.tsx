import { Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { trpc } from '../../../api/client.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { Page as Frame } from '../../../components/page.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { keyedRows } from '../../../components/table/rows/keyed-rows.ts';
import { useSearch } from '../../../components/table/use-search.ts';
import { SignInFacts, columnsOf } from './columns.tsx';
import { useSignIns } from './sign-in.ts';
import './sign-ins.css';

/** Sign-ins, failed attempts and ended sessions of the members. */
export function Page() {
  const [{ member }, setSearch] = useSearch(['member']);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useSignIns(member);
  const { data: members = [] } = useQuery(trpc.management.member.list.queryOptions());
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const names = new Map(members.map(({ uniqueId, name }) => [uniqueId, name]));
  const toggle = (key: string) => {
    const next = new Set(expanded);
    if (!next.delete(key)) next.add(key);
    setExpanded(next);
  };

  return (
    <Frame title="Sign-ins">
      <Stack gap="xs" className="sign-ins">
        <Group justify="space-between">
          <Link to="/members" className="page-back">
            Back to members
          </Link>
          <Select
            aria-label="Member"
            placeholder="All members"
            size="xs"
            w={220}
            clearable
            searchable
            data={members
              .map(({ uniqueId, name, email }) => ({ value: uniqueId, label: `${name} (${email})` }))
              .toSorted((a, b) => a.label.localeCompare(b.label))}
            value={member ?? null}
            onChange={(value) => setSearch({ member: value ?? undefined })}
          />
        </Group>
        <Text size="sm" c="dimmed">
          The last 400 days, newest first. A failed attempt appears in every company of the person. A session that runs
          out by itself has no entry.
        </Text>
        {error !== null && (
          <ErrorMessage title="The sign-ins could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
        {(error === null || data !== undefined) && (
          <DataTable
            label="Sign-ins"
            columns={columnsOf({ names, expanded, onToggle: toggle })}
            rows={data && keyedRows(data.pages.flatMap(({ items }) => items))}
            rowKey={({ key }) => key}
            onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
            details={(row) => (expanded.has(row.key) ? <SignInFacts row={row} /> : undefined)}
            empty={<EmptyState text="This member has not signed in during the last 400 days. Choose another member." />}
          />
        )}
      </Stack>
    </Frame>
  );
}
