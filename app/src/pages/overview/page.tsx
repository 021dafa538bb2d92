import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import { Page as Frame } from '../../components/page.tsx';
import { TASK_STATUSES } from '../../components/task/choices.ts';
import { useSession } from '../../components/use-session.ts';
import { AttentionKeys } from './attention/attention-keys.tsx';
import { ExpiringEvidence } from './attention/expiring-evidence.tsx';
import { FirstSteps } from './first-steps.tsx';
import { FrameworkTasks } from './framework-tasks.tsx';
import { LatestChanges } from './latest-changes.tsx';
import { MyWork } from './my-work/my-work.tsx';
import { Panel } from './panel.tsx';
import { countOf } from './series.ts';
import { TaskHistory } from './task-history.tsx';
import { VendorCounts } from './vendors/vendor-counts.tsx';
import { VendorReviews } from './vendors/vendor-reviews.tsx';

export function Page() {
  const { isAdmin, canWrite, canReadManagement } = useSession();
  const tasks = useQuery(trpc.overview.tasks.queryOptions());
  const history = useQuery(trpc.overview.taskHistory.queryOptions({}));
  const vendors = useQuery(trpc.overview.vendors.queryOptions());
  const evidence = useQuery(trpc.overview.evidence.queryOptions());
  const keys = useQuery({ ...trpc.overview.apiKeys.queryOptions(), enabled: canReadManagement });

  const lastDay = history.data?.at(-1);
  const progress = tasks.data !== undefined &&
    history.data !== undefined &&
    vendors.data !== undefined && {
      hasFramework: tasks.data.length > 0,
      hasTask: lastDay !== undefined && countOf(lastDay, TASK_STATUSES) > 0,
      hasVendor: Object.values(vendors.data).some((count) => count > 0),
    };
  const isNew = progress !== false && !(progress.hasFramework && progress.hasTask);

  return (
    <Frame title="Overview">
      <div className="overview">
        <MyWork />
        {isNew && canWrite ? (
          <FirstSteps isAdmin={isAdmin} {...progress} />
        ) : (
          <Panel
            title="Tasks"
            className="panel-wide"
            height={120}
            isLoading={tasks.isPending}
            error={tasks.error}
            onRetry={() => void tasks.refetch()}
          >
            {tasks.data?.length === 0 ? (
              <p className="quiet-text">
                Tasks belong to frameworks.{' '}
                <Link to="/frameworks">{isAdmin ? 'Create the first one' : 'Frameworks'}</Link>
              </p>
            ) : (
              <FrameworkTasks rows={tasks.data ?? []} />
            )}
          </Panel>
        )}
        <div className="panels">
          <Panel
            title="Vendors"
            height={120}
            isLoading={vendors.isPending}
            error={vendors.error}
            onRetry={() => void vendors.refetch()}
          >
            {vendors.data !== undefined && <VendorCounts counts={vendors.data} />}
          </Panel>
          <VendorReviews />
        </div>
        <TaskHistory frameworks={tasks.data} />
        {canReadManagement && (
          <Panel
            title="API keys to look at"
            height={260}
            isLoading={keys.isPending}
            error={keys.error}
            onRetry={() => void keys.refetch()}
          >
            <AttentionKeys keys={keys.data ?? []} />
          </Panel>
        )}
        <Panel
          title="Expiring evidence"
          height={canReadManagement ? 320 : 260}
          isLoading={evidence.isPending}
          error={evidence.error}
          onRetry={() => void evidence.refetch()}
        >
          {evidence.data !== undefined && <ExpiringEvidence expiring={evidence.data} />}
        </Panel>
        <LatestChanges className={canReadManagement ? 'panel-wide' : 'panel-full'} />
      </div>
    </Frame>
  );
}
