import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import { Time } from '../../components/time.tsx';
import { Subject } from '../../components/timeline/subject.tsx';
import { Panel } from './panel.tsx';

/** Questions that are shown. */
const SHOWN = 5;
const OPEN = { resolved: 'false' } as const;

const COUNT = trpc.overview.questions.queryOptions();
const NEWEST = trpc.comment.listAll.queryOptions({ resolved: false, kind: 'question', limit: SHOWN });

/** Reads the open questions for an admin. */
export function useOpenQuestions(isShown: boolean) {
  const count = useQuery({ ...COUNT, enabled: isShown });
  const newest = useQuery({ ...NEWEST, enabled: isShown });
  return [count, newest] as const;
}

/** The number of open questions, and the newest ones. */
export function OpenQuestions({ results: [total, newest] }: { results: ReturnType<typeof useOpenQuestions> }) {
  const { count: open, more } = total.data?.open ?? { count: 0, more: false };
  const items = newest.data?.items ?? [];
  return (
    <Panel
      title="Open questions"
      className="panel-full"
      height={80}
      isLoading={total.isLoading || newest.isLoading}
      error={total.error ?? newest.error}
      onRetry={() => void Promise.all([total.refetch(), newest.refetch()])}
      action={
        <Link to="/questions" search={OPEN}>
          {open.toLocaleString('en')}
          {more && '+'} open
        </Link>
      }
    >
      {items.length === 0 ? (
        <p className="quiet-text">There are no open questions.</p>
      ) : (
        <ul className="panel-list">
          {items.map(({ uniqueId, resource, createdBy, createdAt }) => (
            <li key={uniqueId}>
              <span className="grow">
                <b>{createdBy.name}</b> asked about <Subject resource={resource} />
              </span>
              <Time value={createdAt} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
