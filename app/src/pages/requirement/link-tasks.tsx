import { useQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import { InputError } from '../../api/errors.ts';
import { openDialog } from '../../components/form/dialog.tsx';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import { FoundInput } from '../../components/record/linked.tsx';
import type { Found } from '../../components/record/linked.tsx';
import { useTypedSearch } from '../../components/record/name-store.ts';
import type { Named } from '../../components/record/name-store.ts';
import type { Requirement } from '../../components/requirement/choices.ts';
import { reloadRequirements } from '../../components/requirement/use-requirements.ts';
import { countText } from '../../components/table/batch.ts';
import { say } from '../../components/undo/undo.ts';

/** Tasks that one dialog links. */
const MAX_LINKED = 50;
const UNIT = ['task', 'tasks'] as const;

/** Tasks of all frameworks whose titles have what a person types, without those that name the requirement. */
function useTaskSearch(requirement: string): Found {
  const { input, options, ...typed } = useTypedSearch();
  const { data } = useQuery(trpc.task.listAll.queryOptions({ ...input, sort: '-updatedAt' }, options));
  const { data: frameworks = [] } = useQuery(trpc.framework.list.queryOptions());
  const nameOf = (id: number) => frameworks.find((one) => one.id === id)?.name;
  return {
    ...typed,
    found: (data?.items ?? [])
      .filter(({ requirements }) => !requirements.includes(requirement))
      .map(({ uniqueId, title, framework }) => ({
        value: uniqueId,
        label: frameworks.length > 1 ? `${title} (${nameOf(framework)})` : title,
      })),
    isLoaded: data !== undefined,
  };
}

interface Links {
  tasks: readonly Named[];
}

const NO_TASKS: Links = { tasks: [] };

function TasksInput({ form, requirement }: { form: ServerForm<Links>; requirement: string }) {
  const search = useTaskSearch(requirement);
  const { value, onChange, ...field } = form.field('tasks');
  const known = [...value, ...search.found.map(({ value: uniqueId, label }) => ({ uniqueId, name: label }))];
  return (
    <FoundInput
      {...field}
      label="Tasks"
      noun="task"
      autoFocus
      maxValues={MAX_LINKED}
      chosen={value}
      search={search}
      onChange={(ids) =>
        onChange(ids.map((uniqueId) => known.find((one) => one.uniqueId === uniqueId) ?? { uniqueId, name: undefined }))
      }
    />
  );
}

/** Adds a requirement to the requirements of a task, as they are now. */
async function link(taskUniqueId: string, requirement: string): Promise<void> {
  const { requirements, etag } = await client.task.get.query({ taskUniqueId });
  if (requirements.includes(requirement)) return;
  await client.task.update.mutate({ taskUniqueId, requirements: [...requirements, requirement], ifMatch: etag });
}

/** Links tasks to a requirement: they name it then. */
export const openLinkingTasks = ({ uniqueId, ref }: Requirement, onLinked: () => Promise<unknown>): void =>
  openDialog({
    title: `Link tasks to ${ref}`,
    initial: NO_TASKS,
    fields: (form) => <TasksInput form={form} requirement={uniqueId} />,
    button: 'Link',
    submit: async ({ tasks }, form) => {
      if (tasks.length === 0) throw new InputError('tasks: choose a task');
      const results = await Promise.allSettled(tasks.map((task) => link(task.uniqueId, uniqueId)));
      await Promise.all([queryClient.invalidateQueries(trpc.task.pathFilter()), reloadRequirements(), onLinked()]);
      const failed = tasks.filter((_task, index) => results[index]?.status === 'rejected');
      if (failed.length > 0) form.set('tasks', failed);
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      say(`${countText(UNIT, tasks.length)} linked to ${ref}.`);
    },
  });
