import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import { nameOf } from '../../components/requirement/choices.ts';
import type { Requirement } from '../../components/requirement/choices.ts';
import { StatusDot } from '../../components/status-dot.tsx';

/** Requirements that are shown. The outline of the framework has all of them. */
const SHOWN = 100;

/** The requirements one level below another one, with their status; nothing without one. */
export function Below({ requirement: { uniqueId, framework } }: { requirement: Requirement }) {
  const query = { framework, parent: uniqueId, limit: SHOWN };
  const { data } = useQuery(trpc.requirement.list.queryOptions(query));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section aria-labelledby="below">
      <Title order={2} id="below">
        {' '}
        Requirements below{' '}
      </Title>
      <ul className="linked-tasks">
        {data.items.map((item) => (
          <li key={item.uniqueId}>
            <Link to="/requirements/$uniqueId" params={{ uniqueId: item.uniqueId }} dir="auto">
              {nameOf(item)}
            </Link>
            <span className="linked-task-facts">{item.status !== null && <StatusDot status={item.status} />}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
