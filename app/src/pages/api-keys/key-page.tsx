import { Group, Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import { CopyableId } from '../../components/copyable-id.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Facts } from '../../components/section/facts.tsx';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { useSession } from '../../components/use-session.ts';
import './key-page.css';
import { KeyActions } from './key-actions.tsx';
import { keyState } from './key.ts';
import type { ApiKey } from './key.ts';
import { LeakReport } from './leak-report.tsx';
import { Usage } from './usage.tsx';
import { Requests } from './requests.tsx';

/** One key: usage, requests, properties, and what can be done with it. */
export function KeyPage({ uniqueId }: { uniqueId: string }) {
  const { isAdmin } = useSession();
  const { data: key, error, refetch } = useQuery(trpc.management.apiKey.get.queryOptions({ uniqueId }));
  return (
    <Frame title={key?.name ?? 'API key'}>
      <Stack gap="md">
        <Group justify="space-between">
          <Link to="/api-keys" className="page-back" activeOptions={{ includeSearch: true, exact: true }}>
            All API keys
          </Link>
          {isAdmin && key !== undefined && <KeyActions apiKey={key} />}
        </Group>
        {error !== null && (
          <ErrorMessage title="The API key could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
        {key !== undefined && <LeakReport apiKey={key} />}
        {error === null && (
          <div className="key-columns">
            <section aria-labelledby="usage">
              <Title order={2} id="usage" mb="xs">
                Usage of the last 30 days
              </Title>
              <Usage uniqueId={uniqueId} />
            </section>
            {key === undefined ? <Skeleton h={360} /> : <Properties apiKey={key} />}
          </div>
        )}
        {error === null && <Requests uniqueId={uniqueId} />}
      </Stack>
    </Frame>
  );
}

const timeOrNever = (value: string | null) => (value === null ? 'Never' : <Time value={value} />);
const isFuture = (value: string | null): value is string => value !== null && Date.parse(value) > Date.now();

function Properties({ apiKey }: { apiKey: ApiKey }) {
  const { uniqueId, start, last4, scopes, frameworks, cidrs, expiresAt, revokedAt, rotatedUntil } = apiKey;
  return (
    <aside aria-label="Properties">
      <Facts
        facts={[
          ['Status', <StatusDot key="status" status={keyState(apiKey)} />],
          ['Key', <span key="key" className="mono">{`${start}…${last4}`}</span>],
          ['Last use', timeOrNever(apiKey.lastUsedAt)],
          ['Expiry', timeOrNever(expiresAt)],
          ['Revoked', revokedAt === null ? undefined : <Time value={revokedAt} />],
          ['Previous secret works until', isFuture(rotatedUntil) ? <Time value={rotatedUntil} /> : undefined],
          ['Scopes', scopes.join(', ')],
          ['Frameworks', <FrameworkNames key="frameworks" ids={frameworks} />],
          ['Address ranges', cidrs === null ? 'All' : cidrs.join(', ')],
          ['Created', <Time key="created" value={apiKey.createdAt} />],
          ['Id', <CopyableId key="id" value={uniqueId} />],
        ]}
      />
    </aside>
  );
}
