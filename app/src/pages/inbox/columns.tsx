import { ActionIcon, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { Link } from '@tanstack/react-router';
import type { InboxItem } from '../../components/inbox/marks.ts';
import type { Column } from '../../components/table/data-table.tsx';
import { Time } from '../../components/time.tsx';
import { exactTime } from '../../dates.ts';
import './inbox.css';
import type { Row } from './rows.ts';
import { bulkSentenceOf, sentenceOf, textOf } from './words.ts';

interface ColumnOptions {
  isUnread: (row: Row) => boolean;
  expanded: ReadonlySet<string>;
  onToggle: (key: string) => void;
  onRead: (row: Row) => void;
  /** Runs when a person opens the resource of an item. */
  onOpen: (item: InboxItem) => void;
}

/** Columns of the inbox. The first control of a row opens its resource, or unfolds it if it has many. */
export const columnsOf = ({ isUnread, expanded, onToggle, onRead, onOpen }: ColumnOptions): readonly Column<Row>[] => [
  {
    id: 'item',
    header: 'Item',
    className: 'wrap',
    render: (row) => {
      const { group, isMember } = row;
      const unread = isUnread(row);
      return (
        <div className="inbox-item" data-unread={unread || undefined} data-member={isMember || undefined}>
          <span className="inbox-dot">{unread && <VisuallyHidden>Unread:</VisuallyHidden>}</span>
          <div>
            <RowSentence row={row} onOpen={onOpen} />
            {!isMember && group.items.length > 1 && (
              <UnstyledButton
                className="expander inbox-more"
                aria-label={`${moreText(row)}: ${textOfRow(row)}`}
                aria-expanded={expanded.has(group.key)}
                onClick={() => onToggle(group.key)}
              >
                <IconChevron size={14} aria-hidden />
                {moreText(row)}
              </UnstyledButton>
            )}
            <div className="inbox-time">
              <Time value={timeOf(row)} />
            </div>
          </div>
        </div>
      );
    },
  },
  { id: 'when', header: 'When', width: 184, leaves: 1, render: (row) => <Time value={timeOf(row)} /> },
  {
    id: 'read',
    header: '',
    width: 52,
    className: 'align-end',
    render: (row) =>
      isUnread(row) && (
        <Tooltip label="Mark as read">
          <ActionIcon
            variant="subtle"
            color="gray"
            className="screen-only"
            aria-label={`Mark as read: ${textOfRow(row)}, ${exactTime(timeOf(row))}`}
            onClick={() => onRead(row)}
          >
            <IconCheck size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ),
  },
];

const timeOf = ({ group, item = group.newest }: Row): string => item.at;

const sentenceOfRow = ({ group, item }: Row) => (item === undefined ? bulkSentenceOf(group) : sentenceOf(item));
const textOfRow = (row: Row): string => textOf(sentenceOfRow(row));

/** Text of the button that unfolds a group. */
const moreText = ({ group: { isBulk, items } }: Row): string =>
  isBulk ? 'Show each' : `${(items.length - 1).toLocaleString('en')} earlier`;

/** The sentence of a row, with a link to the resource if there is one. */
function RowSentence({ row, onOpen }: { row: Row; onOpen: ColumnOptions['onOpen'] }) {
  const { actor, before, name, after } = sentenceOfRow(row);
  const { item } = row;
  return (
    <span className="inbox-sentence">
      {actor !== '' && <b>{actor}</b>} {before !== '' && `${before} `}
      {item === undefined ? (
        name
      ) : (
        <Link {...addressOf(item)} onClick={() => onOpen(item)} onAuxClick={() => onOpen(item)}>
          {name}
        </Link>
      )}
      {after !== '' && ` ${after}`}
    </span>
  );
}

/** The page of the resource of an item. */
function addressOf({ resource: { type, uniqueId } }: InboxItem): { to: string; search?: Record<string, string> } {
  if (type === 'task') return { to: `/tasks/${uniqueId}` };
  if (type === 'vendor') return { to: `/vendors/${uniqueId}` };
  if (type === 'webhook') return { to: `/webhooks/${uniqueId}` };
  if (type === 'import') return { to: '/imports', search: { import: uniqueId } };
  if (type === 'member') return { to: '/account' };
  if (type === 'proof') return { to: '/audit-log/proofs', search: { proof: uniqueId } };
  return { to: '/api-keys', search: { key: uniqueId } };
}
