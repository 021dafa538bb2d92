import { Button, Skeleton, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';
import type { Outputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import type { LoadPage } from '../../api/pages.ts';
import { ErrorMessage } from '../error-message.tsx';
import { Time } from '../time.tsx';
import { Changes, isChange } from './changes.tsx';
import { Difference } from './difference.tsx';
import { fieldLabel, isEmpty, isLongText, valueText } from './values.ts';
import type { FindName } from './values.ts';

type EventPage = Outputs['task']['history'];
type AuditEvent = EventPage['items'][number];

interface HistoryProps {
  /** Key of the procedure: `trpc.task.history.queryKey({ taskUniqueId })`. */
  procedureKey: QueryKey;
  /** Loads a page of events, newest first. */
  loadPage: LoadPage<EventPage>;
  findName: FindName;
}

/** The events of a task or a vendor as a timeline of sentences. */
export function History({ procedureKey, loadPage, findName }: HistoryProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    pagesOptions(procedureKey, loadPage),
  );
  const events = data?.pages.flatMap(({ items }) => items);
  return (
    <section aria-labelledby="history">
      <Title order={2} id="history" mb="sm">
        History
      </Title>
      {error !== null && (
        <ErrorMessage title="The history could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {events === undefined && error === null && <Skeleton h={72} />}
      <ol className="timeline">
        {events?.map((event) => (
          <li key={event.uniqueId}>
            <Sentence event={event} findName={findName} />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load more
        </Button>
      )}
    </section>
  );
}

function Sentence({
  event: { actor, action, changes = {}, occurredAt },
  findName,
}: {
  event: AuditEvent;
  findName: FindName;
}) {
  const [type = '', verb] = action.split('.');
  const fields = Object.entries(changes);
  const [first] = fields;
  const time = (
    <Text span size="xs" c="dimmed">
      <Time value={occurredAt} />
    </Text>
  );
  if (verb !== 'update' || first === undefined || !isChange(first[1]))
    return (
      <>
        <b>{actor.name}</b> {PAST[verb ?? ''] ?? 'changed'} this {type} {time}
      </>
    );
  if (fields.length > 1)
    return (
      <>
        <b>{actor.name}</b> changed {listOf(fields.map(([field]) => fieldLabel(field).toLowerCase()))} {time}
        <Changes changes={changes} findName={findName} />
      </>
    );
  const [field, { from, to }] = [first[0], first[1]];
  const isLong =
    typeof from === 'string' && typeof to === 'string' && (isLongText(field, from) || isLongText(field, to));
  return (
    <>
      <b>{actor.name}</b>{' '}
      {isLong ? `changed the ${fieldLabel(field).toLowerCase()}` : changeText(field, from, to, findName)} {time}
      {isLong && <Difference from={from} to={to} />}
    </>
  );
}

const PAST: Readonly<Record<string, string>> = { create: 'created', delete: 'deleted' };

const list = new Intl.ListFormat('en', { type: 'conjunction' });
const listOf = (names: string[]) => `the ${list.format(names)}`;

/** The predicate of a sentence: "changed the due date from 3 March to 10 March". */
function changeText(field: string, from: unknown, to: unknown, findName: FindName): string {
  const name = `the ${fieldLabel(field).toLowerCase()}`;
  const [before, after] = [from, to].map((value) => valueText(field, value, findName));
  if (isEmpty(from)) return `set ${name} to ${after}`;
  return isEmpty(to) ? `removed ${name} ${before}` : `changed ${name} from ${before} to ${after}`;
}
