import { Button } from '@mantine/core';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { SafeHtml } from '../../components/editor/safe-html.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { memberFilter } from '../../components/person/member-select.tsx';
import { Person } from '../../components/person/person.tsx';
import { nameIn, useMembers } from '../../components/person/use-members.ts';
import type { Member } from '../../components/person/use-members.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { oneOf } from '../../components/table/filters.tsx';
import type { Filters } from '../../components/table/filters.tsx';
import { ListBar, useList, usePages } from '../../components/table/list.tsx';
import { Time } from '../../components/time.tsx';
import { setResolved, useMayResolve } from '../../components/timeline/questions.ts';
import { Subject } from '../../components/timeline/subject.tsx';
import type { ListedComment } from '../../components/timeline/subject.tsx';
import { useSession } from '../../components/use-session.ts';
import { timeText } from '../../dates.ts';
import './questions.css';

type QuestionQuery = Pick<Extract<Inputs['comment']['listAll'], object>, 'resolved' | 'author'>;

/** The filters of the questions. @param own uniqueId of the person who reads */
const questionFilters = (members: readonly Member[], own: string): Filters<QuestionQuery> => ({
  resolved: {
    ...oneOf('State', 'Any state', [
      { value: 'false', label: 'Open' },
      { value: 'true', label: 'Resolved' },
    ]),
    read: (text) => ({ true: true, false: false })[text],
    width: 140,
  },
  author: { ...memberFilter('Asked by', 'Anybody', { members, own, withNobody: false }), width: 160 },
});

const State = ({ question: { resolved } }: { question: ListedComment }) =>
  resolved === null ? (
    <StatusDot status="open" />
  ) : (
    <>
      <StatusDot status="resolved" />
      <div className="quiet">
        {resolved.by.name}, <Time value={resolved.at} />
      </div>
    </>
  );

const reload = () => queryClient.invalidateQueries(trpc.audit.pathFilter());

/** Resolves a question of the list, or reopens it. Nothing for a person who may not. */
function ResolveButton({ question: { uniqueId, resolved, createdBy, createdAt } }: { question: ListedComment }) {
  const isOpen = resolved === null;
  const word = isOpen ? 'Resolve' : 'Reopen';
  return (
    useMayResolve(createdBy) && (
      <Button
        variant="default"
        size="compact-xs"
        className="screen-only"
        aria-label={`${word} the question of ${createdBy.name}, ${timeText(createdAt)}`}
        onClick={() => void setResolved(uniqueId, isOpen, reload)}
      >
        {word}
      </Button>
    )
  );
}

const questionColumns = (members: readonly Member[]): readonly Column<ListedComment>[] => [
  {
    id: 'question',
    header: 'Question',
    className: 'wrap',
    render: ({ text, resource, createdBy, createdAt }) => (
      <div className="question">
        <Subject resource={resource} />
        <SafeHtml html={text} />
        <div className="question-author quiet">
          {createdBy.name}, <Time value={createdAt} />
        </div>
      </div>
    ),
  },
  {
    id: 'author',
    header: 'Asked by',
    width: 150,
    leaves: 2,
    render: ({ createdBy }) => <Person name={createdBy.name} label={nameIn(members, createdBy)} />,
  },
  { id: 'createdAt', header: 'Asked', width: 150, leaves: 1, render: ({ createdAt }) => <Time value={createdAt} /> },
  { id: 'state', header: 'State', width: 130, className: 'wrap', render: (row) => <State question={row} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 104,
    // A narrow table has no room for it, and the page of the record has the same button.
    leaves: 0,
    className: 'align-end',
    render: (row) => <ResolveButton question={row} />,
  },
];

const PAGE_SIZE = 50;

/** The questions about all tasks, vendors and requirements, newest first. */
export function Page() {
  const { member: own } = useSession();
  const { members } = useMembers();
  const list = useList({
    name: 'questions',
    unit: ['question', 'questions'],
    columns: questionColumns(members),
    filters: questionFilters(members, own),
  });
  const query = { ...list.query, kind: 'question' as const, limit: PAGE_SIZE };
  const { rows, error, refetch, loadMore } = usePages<ListedComment>(
    trpc.comment.listAll.queryKey(query),
    (position, options) => client.comment.listAll.query({ ...query, ...position }, options),
  );
  return (
    <Frame title="Questions">
      <ListBar list={list} total={rows?.length} hasMore={loadMore !== undefined} />
      {error !== null && (
        <ErrorMessage title="The questions could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || rows !== undefined) && (
        <DataTable
          {...list.table}
          label="Questions"
          rows={rows}
          rowKey={({ uniqueId }) => uniqueId}
          onLoadMore={loadMore}
          empty={
            <EmptyState
              text={
                list.set.length > 0
                  ? 'No questions match these filters.'
                  : 'Nobody has asked a question yet. You can ask one on the page of a task, vendor or requirement.'
              }
            />
          }
        />
      )}
    </Frame>
  );
}
