import { Group, Select, Stack, Text, UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { client, trpc } from '../../../api/client.ts';
import type { Outputs } from '../../../api/client.ts';
import { pagesOptions } from '../../../api/pages.ts';
import { browserName } from '../../../components/browser-name.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { Page as Frame } from '../../../components/page.tsx';
import { Facts } from '../../../components/section/facts.tsx';
import { StatusDot } from '../../../components/status-dot.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { keyedRows } from '../../../components/table/keyed-rows.ts';
import { useSearch } from '../../../components/table/use-search.ts';
import { Time } from '../../../components/time.tsx';
import { exactTime } from '../../../dates.ts';
import { BackLink } from '../../../components/table/back-link.tsx';
import { useExpanded } from '../../../components/table/use-expanded.ts';
import { useLoadMore } from '../../../components/table/use-load-more.ts';
import './sign-ins.css';

type SignIn = Outputs['management']['signIn']['list']['items'][number];

const PAGE_SIZE = 100;

/** Every event in words. The compiler finds a missing one. */
const EVENT_TEXTS: Readonly<Record<SignIn['event'], string>> = {
  signed_in: 'Signed in',
  failed: 'Failed',
  signed_out: 'Signed out',
  ended: 'Session ended',
};

/** Every method in words. */
const METHOD_TEXTS: Readonly<Record<SignIn['method'], string>> = {
  password: 'Password',
  passkey: 'Passkey',
  sso: 'Single sign-on',
};

/** Pages of sign-ins, newest first. @param member uniqueId; undefined for all members */
const useSignIns = (member: string | undefined) => {
  const filters = member === undefined ? {} : { member };
  return useInfiniteQuery({
    ...pagesOptions(trpc.management.signIn.list.queryKey(filters), (position, options) =>
      client.management.signIn.list.query({ ...filters, limit: PAGE_SIZE, ...position }, options),
    ),
    placeholderData: keepPreviousData,
  });
};

type SignInRow = ReturnType<typeof keyedRows<SignIn>>[number];

interface ColumnOptions {
  /** Names of members by uniqueId. */
  names: ReadonlyMap<string, string>;
  expanded: ReadonlySet<string>;
  onToggle: (key: string) => void;
}

const UNKNOWN = 'Unknown';

/** Columns of the list. The button with the event shows and hides all of its facts. */
const columnsOf = ({ names, expanded, onToggle }: ColumnOptions): readonly Column<SignInRow>[] => [
  {
    id: 'event',
    header: 'Event',
    render: (row) => (
      <>
        <UnstyledButton className="expander" aria-expanded={expanded.has(row.key)} onClick={() => onToggle(row.key)}>
          <IconChevron size={14} aria-hidden />
          <StatusDot status={row.event} label={EVENT_TEXTS[row.event]} />
        </UnstyledButton>
        <span className="sign-in-member">{nameOf(row, names)}</span>
      </>
    ),
  },
  { id: 'member', header: 'Member', width: 200, leaves: 4, render: (row) => nameOf(row, names) },
  {
    id: 'method',
    header: 'Method',
    width: 124,
    leaves: 3,
    render: ({ method }) => METHOD_TEXTS[method],
  },
  {
    id: 'address',
    header: 'Address',
    width: 150,
    leaves: 2,
    className: 'wrap',
    render: ({ address }) => (
      <span className={address === null ? 'quiet' : 'sign-in-address'}>{address ?? UNKNOWN}</span>
    ),
  },
  {
    id: 'browser',
    header: 'Browser',
    width: 168,
    leaves: 1,
    render: ({ userAgent }) => browserName(userAgent),
  },
  { id: 'at', header: 'Time', width: 130, render: ({ at }) => <Time value={at} /> },
];

const nameOf = ({ member, email }: SignInRow, names: ColumnOptions['names']): string =>
  (member === null ? undefined : names.get(member)) ?? email ?? UNKNOWN;

/** Everything that the list has about an entry. */
const SignInFacts = ({ row }: { row: SignInRow }) => (
  <Facts
    facts={[
      ['Time', exactTime(row.at)],
      ['Email', row.email ?? UNKNOWN],
      ['Method', METHOD_TEXTS[row.method]],
      ['Address', row.address ?? UNKNOWN],
      ['Browser', row.userAgent === '' ? UNKNOWN : row.userAgent],
    ]}
  />
);

/** Sign-ins, failed attempts and ended sessions of the members. */
export function Page() {
  const [{ member }, setSearch] = useSearch(['member']);
  const query = useSignIns(member);
  const { data, error, refetch } = query;
  const loadMore = useLoadMore(query);
  const { data: members = [] } = useQuery(trpc.management.member.list.queryOptions());
  const [expanded, toggle] = useExpanded();
  const names = new Map(members.map(({ uniqueId, name }) => [uniqueId, name]));

  return (
    <Frame title="Sign-ins">
      <Stack gap="xs" className="sign-ins">
        <Group justify="space-between">
          <BackLink to="/members">Back to the members</BackLink>
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
          The last 400 days, newest first. A failed attempt appears in every company of the person. Sessions that expire
          by themselves are not listed.
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
            onLoadMore={loadMore}
            details={(row) => (expanded.has(row.key) ? <SignInFacts row={row} /> : undefined)}
            empty={<EmptyState text="This member has not signed in during the last 400 days. Choose another member." />}
          />
        )}
      </Stack>
    </Frame>
  );
}
