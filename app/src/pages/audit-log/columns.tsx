import { UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { exactTime } from '../../dates.ts';
import { EventSentence, eventText } from '../../components/record/events/event-sentence.tsx';
import { GroupSentence, groupText } from '../../components/record/events/group-sentence.tsx';
import type { FindName } from '../../components/record/values.ts';
import type { Column } from '../../components/table/data-table.tsx';
import { Time } from '../../components/time.tsx';
import './audit-log.css';
import type { Row } from './rows.ts';

interface ColumnOptions {
  findName: FindName;
  expanded: ReadonlySet<string>;
  onToggle: (key: string) => void;
}

/** Columns of the audit log. The button of a row shows and hides the details of its event, or the events of its group. */
export const columnsOf = ({ findName, expanded, onToggle }: ColumnOptions): readonly Column<Row>[] => [
  {
    id: 'event',
    header: 'Event',
    className: 'wrap',
    render: (row) => {
      const { key, group, event, isMember } = row;
      return (
        <div className={isMember ? 'audit-event audit-member' : 'audit-event'}>
          <UnstyledButton
            className="expander"
            aria-label={buttonText(row, findName)}
            aria-expanded={expanded.has(key)}
            onClick={() => onToggle(key)}
          >
            <IconChevron size={14} aria-hidden />
          </UnstyledButton>
          <div>
            {event === undefined ? (
              <GroupSentence group={group} />
            ) : (
              <EventSentence event={event} findName={findName} />
            )}
            <div className="audit-time">
              <RowTime row={row} />
            </div>
          </div>
        </div>
      );
    },
  },
  { id: 'when', header: 'When', width: 208, leaves: 1, render: (row) => <RowTime row={row} /> },
];

const RowTime = ({ row: { group, event = group.newest } }: { row: Row }) => <Time value={event.occurredAt} isExact />;

/** Name of the button of a row. The time tells equal sentences apart. */
const buttonText = ({ group, event }: Row, findName: FindName): string =>
  event === undefined
    ? `Events: ${groupText(group)}, ${exactTime(group.newest.occurredAt)}`
    : `Details: ${eventText(event, findName)}, ${exactTime(event.occurredAt)}`;
