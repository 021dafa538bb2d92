import { Button, Group, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import { reloadWatching } from '../../components/inbox/watch-button.tsx';
import { Fact } from '../../components/record/fields.tsx';
import { RecordLoading, RecordPage } from '../../components/record/record-page.tsx';
import { useNames } from '../../components/record/use-names.ts';
import { recordQuery, useRecord } from '../../components/record/use-record.ts';
import { nameOf } from '../../components/requirement/choices.ts';
import type { Requirement } from '../../components/requirement/choices.ts';
import { openAssessing } from '../../components/requirement/dialogs.tsx';
import type { Assessment } from '../../components/requirement/dialogs.tsx';
import { requirementFields } from '../../components/requirement/fields.tsx';
import type { RequirementValues } from '../../components/requirement/fields.tsx';
import { reloadRequirements } from '../../components/requirement/use-requirements.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { LinkedTasks } from '../../components/task/linked-tasks.tsx';
import { Time } from '../../components/time.tsx';
import { say } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { openNewTask } from '../tasks/new-task-dialog.tsx';
import { Below } from './below.tsx';
import { openLinkingTasks } from './link-tasks.tsx';

interface AssessButtonProps {
  requirement: Requirement;
  onAssess: (assessment: Assessment) => Promise<unknown>;
}

/** Records whether the company meets a requirement. A heading is not assessed, and neither is what does not apply. */
function AssessButton({ requirement, onAssess }: AssessButtonProps) {
  const { assessable, applicable, assessment, ref } = requirement;
  if (!assessable) return null;
  if (!applicable)
    return (
      <Tooltip label="A requirement that does not apply cannot be assessed.">
        <Button data-disabled aria-disabled onClick={(event) => event.preventDefault()}>
          Assess
        </Button>
      </Tooltip>
    );
  const assess = () =>
    openAssessing({
      what: nameOf(requirement),
      current: assessment?.result ?? null,
      canWithdraw: assessment !== null,
      onAssess: async (given) => {
        await onAssess(given);
        say(given.result === null ? `The assessment of ${ref} was withdrawn.` : `${ref} was assessed.`);
      },
    });
  return <Button onClick={assess}>Assess</Button>;
}

/** The last assessment: its result, who made it, and what they noted. */
const LastAssessment = ({ assessment }: Pick<Requirement, 'assessment'>) => (
  <Fact name="Assessment">
    {assessment !== null && (
      <>
        <StatusDot status={assessment.result} />
        <br />
        {assessment.by.name}, <Time value={assessment.at} withRelative />
        {assessment.note !== '' && (
          <p className="timeline-note" dir="auto">
            {assessment.note}
          </p>
        )}
      </>
    )}
  </Fact>
);

interface RequirementTasksProps {
  requirement: Requirement;
  readOnly: boolean;
}

const reloadHistory = () => queryClient.invalidateQueries(trpc.requirement.history.pathFilter());

/** The tasks of all frameworks that name a requirement. */
function RequirementTasks({ requirement, readOnly }: RequirementTasksProps) {
  const { uniqueId, framework } = requirement;
  const navigate = useNavigate();
  const { data: frameworks = [] } = useQuery(trpc.framework.list.queryOptions());
  const create = () =>
    openNewTask(frameworks, String(framework), (task) => void navigate({ href: `/tasks/${task.uniqueId}` }), uniqueId);
  return (
    <LinkedTasks
      of={{ requirement: uniqueId }}
      empty="No tasks are linked to this requirement yet. Link the tasks that do the work it requires."
      action={
        !readOnly && (
          <Group gap="xs" mt="xs" className="screen-only">
            <Button variant="default" onClick={create}>
              New task
            </Button>
            <Button variant="default" onClick={() => openLinkingTasks(requirement, reloadHistory)}>
              Link tasks
            </Button>
          </Group>
        )
      }
    />
  );
}

/** A requirement, which the person edits and assesses, or a state of the past. */
function RequirementRecord({ loaded, isPast }: { loaded: Requirement; isPast: boolean }) {
  const { canWrite, isAdmin } = useSession();
  const { uniqueId: requirement, framework } = loaded;
  const history = trpc.requirement.history.queryKey({ requirement });
  const findName = useNames(framework);
  const { item, field, conflict, apply } = useRecord<RequirementValues, Requirement>(loaded, {
    read: () => client.requirement.get.query({ requirement }),
    update: (changes, ifMatch) => client.requirement.update.mutate({ ...toInput(changes), requirement, ifMatch }),
    onChange: () =>
      void Promise.all([
        queryClient.invalidateQueries({ queryKey: history }),
        reloadWatching({ requirement }),
        reloadRequirements(),
      ]),
  });
  const readOnly = isPast || !canWrite;
  const remove = async () => {
    await client.requirement.delete.mutate({ requirement }, sentOnLeave);
    // A person who went back meanwhile sees that the requirement is gone.
    await Promise.all([
      reloadRequirements(),
      queryClient.resetQueries(trpc.requirement.get.queryFilter({ requirement })),
    ]);
  };
  const exclude = (justification: string) =>
    apply(() => client.requirement.update.mutate({ requirement, applicable: false, justification }));
  const frameworkName = findName('framework', framework);
  return (
    <RecordPage<RequirementValues>
      type="requirement"
      list={{ path: `/frameworks/${framework}`, name: frameworkName ?? 'the framework' }}
      parent={{ requirement }}
      record={item}
      name={nameOf(item)}
      mark={item.ref}
      title={field('title')}
      description={field('description')}
      fields={requirementFields(item, exclude)}
      mainFields={['status', 'owner', 'applicable']}
      field={field}
      findName={findName}
      facts={
        <>
          {item.assessable && <LastAssessment assessment={item.assessment} />}
          <Fact name="Framework">{frameworkName ?? framework}</Fact>
        </>
      }
      readOnly={readOnly}
      framework={framework}
      action={
        !readOnly && (
          <AssessButton
            requirement={item}
            onAssess={(given) => apply(() => client.requirement.assess.mutate({ ...given, requirement }))}
          />
        )
      }
      conflict={conflict}
      onDelete={isAdmin ? remove : undefined}
    >
      {!isPast && <Below requirement={item} />}
      {!isPast && item.assessable && <RequirementTasks requirement={item} readOnly={readOnly} />}
    </RecordPage>
  );
}

/** Changed fields as the API takes them. The status follows from others. */
const toInput = ({ owner, status: _status, ...changes }: Partial<RequirementValues>) => ({
  ...changes,
  ...(owner !== undefined && { ownerId: owner?.uniqueId ?? null }),
});

export function Page() {
  const { uniqueId: requirement = '' } = useParams({ strict: false });
  const [search] = useSearch(['asOf']);
  const { data, error, refetch } = useQuery({
    ...trpc.requirement.get.queryOptions({ requirement, ...search }),
    ...recordQuery,
  });
  if (data === undefined) return <RecordLoading type="requirement" error={error} onRetry={() => void refetch()} />;
  return <RequirementRecord key={`${requirement} ${search.asOf}`} loaded={data} isPast={search.asOf !== undefined} />;
}
