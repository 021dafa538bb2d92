import { Skeleton } from '@mantine/core';
import IconCircle from '@tabler/icons-react/dist/esm/icons/IconCircle.mjs';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { Validity } from '../../components/evidence/validity.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { useMembers } from '../../components/person/use-members.ts';
import { EventSentence, GroupSentence } from '../../components/record/events/event-sentence.tsx';
import { ResourceLink } from '../../components/record/events/resource-link.tsx';
import { useEventGroups } from '../../components/record/events/groups.ts';
import { useNames } from '../../components/record/use-names.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { TASK_STATUSES } from '../../components/task/choices.ts';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import { VENDOR_STATUSES } from '../../components/vendor/choices.ts';
import { timeText } from '../../dates.ts';
import { OVERDUE_REVIEWS, REVIEWS_DUE } from '../../components/views/view.ts';
import { FrameworkTasks } from './framework-tasks.tsx';
import './latest-changes.css';
import { MyWork, useMyWork } from './my-work.tsx';
import { OpenQuestions, useOpenQuestions } from './open-questions.tsx';
import { OverdueWork } from './overdue-work.tsx';
import { Panel } from './panel.tsx';
import { countOf } from './series.ts';
import { TaskHistory } from './task-history.tsx';

interface FirstStepsProps {
  isAdmin: boolean;
  hasFramework: boolean;
  hasTask: boolean;
  hasVendor: boolean;
  hasColleagues: boolean;
}

/** Steps of a new company, each with the page on which it is done. */
function FirstSteps({ isAdmin, hasFramework, hasTask, hasVendor, hasColleagues }: FirstStepsProps) {
  const steps = [
    {
      to: '/frameworks',
      text: 'Create a framework',
      why: 'A standard that you follow, for example ISO 27001. Every task belongs to one.',
      isDone: hasFramework,
      isForAdmins: true,
    },
    { to: '/tasks', text: 'Create a task', why: 'A piece of work with a due date and a status.', isDone: hasTask },
    {
      to: '/imports',
      text: 'Import what you have',
      why: 'Tasks and vendors from a spreadsheet.',
    },
    { to: '/vendors', text: 'Add a vendor', why: 'A company or service that you rely on.', isDone: hasVendor },
    {
      to: '/members',
      text: 'Invite your colleagues',
      why: 'You can invite several people at once, and limit their access to some frameworks.',
      isDone: hasColleagues,
      isForAdmins: true,
    },
  ] as const satisfies readonly { to: string; text: string; why: string; isDone?: boolean; isForAdmins?: boolean }[];
  return (
    <section className="panel panel-wide" aria-labelledby="first-steps">
      <div className="panel-top">
        <h2 id="first-steps">First steps</h2>
      </div>
      <ol className="panel-list">
        {steps.map((step) => {
          const isDone = 'isDone' in step && step.isDone;
          const isForOthers = 'isForAdmins' in step && !isAdmin;
          const Icon = isDone ? IconCircleCheck : IconCircle;
          return (
            <li key={step.to}>
              <Icon size={18} stroke={1.6} className="quiet" aria-hidden />
              <span className="grow">
                <Link to={step.to}>{step.text}</Link> <span className="quiet">{step.why}</span>
              </span>
              {isDone ? <span className="quiet">Done</span> : isForOthers && <span className="quiet">For admins</span>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const LINES = 8;
/** Enough events for the lines, unless an import wrote most of them. */
const PAGE_SIZE = 50;
const MAX_PAGES = 4;

/** The newest events of the audit log as sentences. */
function LatestChanges({ className }: { className: 'panel-wide' | 'panel-full' }) {
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
      className={`screen-only ${className}`}
      height={320}
      isLoading={groups === undefined && query.error === null}
      error={query.error}
      onRetry={() => void query.refetch()}
      action={<Link to="/audit-log">Audit log</Link>}
    >
      {groups?.length === 0 ? (
        <p className="quiet-text">There are no changes yet.</p>
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

/** The parts with their lists. */
const PARTS = [
  { part: 'overdue', name: 'Overdue', search: OVERDUE_REVIEWS.search },
  { part: 'month', name: 'This month', search: REVIEWS_DUE.search },
] as const;

const VENDOR_REVIEWS = trpc.overview.vendorReviews.queryOptions();

/** Numbers of vendors whose next review is past, or within 30 days. Each leads to its vendors. */
function VendorReviews() {
  const { data, error, isPending, refetch } = useQuery(VENDOR_REVIEWS);
  return (
    <Panel title="Vendor reviews" height={80} isLoading={isPending} error={error} onRetry={() => void refetch()}>
      {data !== undefined && <Counts reviews={data} />}
    </Panel>
  );
}

function Counts({ reviews }: { reviews: Outputs['overview']['vendorReviews'] }) {
  if (PARTS.every(({ part }) => reviews[part].count === 0))
    return <p className="quiet-text">No vendor reviews are due within 30 days.</p>;
  return (
    <ul className="panel-list">
      {PARTS.map(({ part, name, search }) => {
        const { count, more } = reviews[part];
        return (
          <li key={part}>
            <Link to="/vendors" search={search} className="count-link">
              {name}
              <span className={part === 'overdue' && count > 0 ? 'overdue' : undefined}>
                {count.toLocaleString('en')}
                {more && '+'}
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

type Expiring = Outputs['overview']['evidence'];

const FILTER = { evidence: 'expiring' } as const;

/** Evidence that is valid for less than 30 days, or no longer, with the task or vendor that needs new one. */
function ExpiringEvidence({ expiring: { total, items } }: { expiring: Expiring }) {
  if (total === 0) return <p className="quiet-text">No evidence expires within 30 days.</p>;
  const rest = total - items.length;
  return (
    <>
      <ul className="panel-list">
        {items.map(({ uniqueId, name, validUntil, resource }) => (
          <li key={uniqueId}>
            <span className="grow">
              <ResourceLink resource={resource}>{resource.title}</ResourceLink>
              <br />
              <bdi className="quiet">{name}</bdi>
            </span>
            <Validity validUntil={validUntil} />
          </li>
        ))}
      </ul>
      <p className="quiet-text">
        {rest > 0 && `And ${rest.toLocaleString('en')} more. `}
        <Link to="/tasks" search={FILTER}>
          Tasks
        </Link>{' '}
        and{' '}
        <Link to="/vendors" search={FILTER}>
          vendors
        </Link>{' '}
        with expiring evidence
      </p>
    </>
  );
}

type Key = Outputs['overview']['apiKeys'][number];

const REASONS: Readonly<Record<Key['reason'], string>> = { leaked: 'Leaked', expired: 'Expired', expires: 'Expires' };

/** API keys that were leaked, have expired or expire soon, the most urgent first. */
function AttentionKeys({ keys }: { keys: readonly Key[] }) {
  if (keys.length === 0) return <p className="quiet-text">No keys expire within 30 days, and none were leaked.</p>;
  return (
    <ul className="panel-list">
      {keys.map(({ uniqueId, name, last4, reason, expiresAt, leakedAt }) => {
        const time = reason === 'leaked' ? leakedAt : expiresAt;
        return (
          <li key={uniqueId}>
            <span className="grow">
              <Link to="/api-keys" search={{ key: uniqueId }}>
                {name}
              </Link>{' '}
              <span className="mono">…{last4}</span>
            </span>
            <span>
              <StatusDot status={reason} label={REASONS[reason]} />{' '}
              {time !== null && <Time value={time} withRelative />}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Number of vendors of each status. Each leads to its vendors. */
function VendorCounts({ counts }: { counts: Outputs['overview']['vendors'] }) {
  return (
    <ul className="panel-list">
      {VENDOR_STATUSES.map((status) => (
        <li key={status}>
          <Link to="/vendors" search={{ status }} className="count-link">
            <StatusDot status={status} />
            <span>{counts[status].toLocaleString('en')}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function Page() {
  const { company, isAdmin, canWrite, canReadManagement } = useSession();
  const tasks = useQuery(trpc.overview.tasks.queryOptions());
  const history = useQuery(trpc.overview.taskHistory.queryOptions({}));
  const vendors = useQuery(trpc.overview.vendors.queryOptions());
  const evidence = useQuery(trpc.overview.evidence.queryOptions());
  const keys = useQuery({ ...trpc.overview.apiKeys.queryOptions(), enabled: canReadManagement });

  const reviews = useQuery(VENDOR_REVIEWS);
  const { members } = useMembers();
  const myWork = useMyWork();
  const overdue = useQuery(trpc.overview.overdueTasks.queryOptions());
  const questions = useOpenQuestions(isAdmin);
  const parts = [tasks, history, vendors, evidence, keys, reviews, overdue, ...questions, ...myWork];

  const lastDay = history.data?.at(-1);
  const progress = tasks.data !== undefined &&
    history.data !== undefined &&
    vendors.data !== undefined && {
      hasFramework: tasks.data.length > 0,
      hasTask: lastDay !== undefined && countOf(lastDay, TASK_STATUSES) > 0,
      hasVendor: Object.values(vendors.data).some((count) => count > 0),
    };
  const isNew = progress !== false && !(progress.hasFramework && progress.hasTask);

  // How high the parts are is known when they have their numbers. Shown one by one, they would push each other down.
  if (parts.some(({ isLoading }) => isLoading))
    return (
      <Frame title="Overview">
        <Skeleton h="calc(100vh - 110px)" />
      </Frame>
    );
  return (
    <Frame title="Overview">
      <p className="paper-only report-of">
        {company.name}, as of {timeText(new Date().toISOString())}
      </p>
      <div className="overview">
        <MyWork results={myWork} />
        {isNew && canWrite ? (
          <FirstSteps isAdmin={isAdmin} {...progress} hasColleagues={members.length > 1} />
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
        {overdue.data?.total !== 0 && (
          <Panel
            title="Overdue work"
            className="panel-full"
            height={120}
            isLoading={overdue.isPending}
            error={overdue.error}
            onRetry={() => void overdue.refetch()}
          >
            {overdue.data !== undefined && <OverdueWork {...overdue.data} />}
          </Panel>
        )}
        {isAdmin && !isNew && <OpenQuestions results={questions} />}
        <TaskHistory frameworks={tasks.data} />
        {canReadManagement && (
          <Panel
            title="API keys that need attention"
            className="screen-only"
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
