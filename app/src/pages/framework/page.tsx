import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { trpc } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import type { Framework } from '../frameworks/kinds.ts';
import { Applicability } from './applicability.tsx';
import { PART_NAMES } from './frame.tsx';
import type { Part } from './frame.tsx';
import { Gaps } from './gaps.tsx';
import { Report } from './report.tsx';
import { Requirements } from './requirements.tsx';

const CONTENT: Readonly<Record<Part, ComponentType<{ framework: Framework }>>> = {
  requirements: Requirements,
  gaps: Gaps,
  report: Report,
  applicability: Applicability,
};

/** A framework with its requirements, its gaps and what is reported about them. */
export function Page() {
  const { framework: id = '' } = useParams({ strict: false });
  const [{ tab }] = useSearch(['tab']);
  const { data, error, refetch } = useQuery(trpc.management.framework.list.queryOptions());
  const framework = data?.find((one) => String(one.id) === id);
  const part = PART_NAMES.find((name) => name === tab) ?? 'requirements';
  const Content = CONTENT[part];
  if (framework !== undefined) return <Content key={`${id} ${part}`} framework={framework} />;
  return (
    <Frame title={data === undefined ? 'Framework' : 'Framework not found'}>
      {error !== null && (
        <ErrorMessage title="The framework could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton h={320} />}
      {data !== undefined && (
        <EmptyState
          text="This framework does not exist, or you do not have access to it."
          action={<Link to="/frameworks">All frameworks</Link>}
        />
      )}
    </Frame>
  );
}
