import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, trpc } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { EventSentence } from '../../components/record/events/event-sentence.tsx';
import { GroupSentence } from '../../components/record/events/group-sentence.tsx';
import { useEventGroups } from '../../components/record/events/use-event-groups.ts';
import { useNames } from '../../components/record/use-names.ts';
import { Time } from '../../components/time.tsx';
import './latest-changes.css';
import { Panel } from './panel.tsx';

const LINES = 8;
/** Enough events for the lines, unless an import wrote most of them. */
const PAGE_SIZE = 50;
const MAX_PAGES = 4;

/** The newest events of the audit log as sentences. */
export function LatestChanges({ className }: { className: 'panel-wide' | 'panel-full' }) {
  const query = useInfiniteQuery(
    pagesOptions(trpc.audit.page.queryKey({ limit: PAGE_SIZE }), (position, options) =>
      client.audit.page.query({ limit: PAGE_SIZE, ...position }, options),
    ),
  );
  const { groups } = useEventGroups(query, { minimum: LINES, maxPages: MAX_PAGES });
  const findName = useNames();
  return (
    <Panel
      title="Latest changes"
      className={className}
      height={320}
      isLoading={groups === undefined && query.error === null}
      error={query.error}
      onRetry={() => void query.refetch()}
      action={<Link to="/audit-log">Audit log</Link>}
    >
      {groups?.length === 0 ? (
        <p className="quiet-text">Nothing has changed yet.</p>
      ) : (
        <ul className="panel-list latest-changes">
          {groups?.slice(0, LINES).map((group) => (
            <li key={group.key}>
              <span className="grow">
                {group.events.length > 1 ? (
                  <GroupSentence group={group} />
                ) : (
                  <EventSentence event={group.newest} findName={findName} />
                )}
              </span>
              <Time value={group.newest.occurredAt} isExact />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
