import { UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { Time } from '../../../components/time.tsx';
import { exactTime } from '../../../dates.ts';
import { browserName } from '../../../components/browser-name.ts';
import { Facts } from '../../../components/section/facts.tsx';
import { StatusDot } from '../../../components/status-dot.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { EVENT_TEXTS, METHOD_TEXTS } from './sign-in.ts';
import type { SignInRow } from './sign-in.ts';

interface ColumnOptions {
  /** Names of members by uniqueId. */
  names: ReadonlyMap<string, string>;
  expanded: ReadonlySet<string>;
  onToggle: (key: string) => void;
}

const UNKNOWN = 'Unknown';

/** Columns of the list. The button with the event shows and hides all of its facts. */
export const columnsOf = ({ names, expanded, onToggle }: ColumnOptions): readonly Column<SignInRow>[] => [
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
export const SignInFacts = ({ row }: { row: SignInRow }) => (
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
