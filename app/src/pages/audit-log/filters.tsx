import { Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import { nameOf } from '../../components/record/events/sentence.ts';
import { actionText, RESOURCES, resourceText } from '../../components/record/events/words.ts';
import type { AuditEvent } from '../../components/record/events/words.ts';
import { FilterButtons } from '../../components/table/filter-buttons.tsx';
import { setFiltersOf } from '../../components/table/set-filters.ts';
import type { SetFilter } from '../../components/table/set-filters.ts';
import { useSession } from '../../components/use-session.ts';
import { dateText } from '../../dates.ts';
import { endOfDay, startOfDay, toDay } from './days.ts';
import { FILTERS, RESOURCE_TYPES } from './use-events.ts';
import type { useEventFilters } from './use-events.ts';

interface SetFiltersInput extends Pick<ReturnType<typeof useEventFilters>, 'search' | 'setSearch'> {
  /** Names of people and keys by uniqueId. */
  names: ReadonlyMap<string, string>;
  events: readonly AuditEvent[];
}

/** The day of a time; the text of the URL if it is not a time. */
function dayText(time: string, days = 0): string {
  const day = toDay(time, days);
  return day === '' ? time : dateText(day);
}

/** Name of a resource by its id. A filter by resource has only its events. */
function nameById(events: readonly AuditEvent[], id: string): string {
  const resource = events.find((event) => event.resource.uniqueId === id)?.resource;
  return resource === undefined ? 'one' : nameOf(resource);
}

/** The filters that are set, as people read them, each with its removal. */
const setFilters = ({ search, setSearch, names, events }: SetFiltersInput): SetFilter[] =>
  setFiltersOf(
    [
      { parameter: 'resourceType', name: 'Resource type', textOf: resourceText },
      { parameter: 'resourceId', name: 'Resource', textOf: (id) => nameById(events, id) },
      { parameter: 'actor', name: 'Person', textOf: (id) => names.get(id) ?? id },
      { parameter: 'action', name: 'Action', textOf: actionText },
      { parameter: 'since', name: 'From', textOf: (time) => dayText(time) },
      { parameter: 'until', name: 'To', textOf: (time) => dayText(time, -1) },
    ],
    search,
    (parameter) => setSearch({ [parameter]: undefined }),
  );

interface FiltersProps extends Pick<ReturnType<typeof useEventFilters>, 'search' | 'setSearch'> {
  /** Events that are shown, whose users can be chosen. */
  events: readonly AuditEvent[];
}

const resourceOptions = RESOURCE_TYPES.map((value) => ({ value, label: resourceText(value) }));
const ACTIONS = RESOURCES.flatMap(({ type, verbs }) => verbs.map((verb) => `${type}.${verb}`));

/** Filters of the audit log, all in the URL. Those that are set are buttons below the fields. */
export function Filters({ search, setSearch, events }: FiltersProps) {
  const names = useActorNames(events, search.actor);
  const actors = [...names].map(([value, label]) => ({ value, label }));
  const { resourceType } = search;
  const actions = ACTIONS.filter((action) => resourceType === undefined || action.startsWith(`${resourceType}.`));
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Select
          aria-label="Resource type"
          placeholder="Any resource type"
          size="xs"
          w={160}
          clearable
          data={resourceOptions}
          value={resourceType ?? null}
          onChange={(value) => setSearch({ resourceType: value ?? undefined, action: undefined })}
        />
        <Select
          aria-label="Action"
          placeholder="Any action"
          size="xs"
          w={170}
          clearable
          searchable
          data={actions.map((value) => ({ value, label: actionText(value) }))}
          value={search.action ?? null}
          onChange={(value) => setSearch({ action: value ?? undefined })}
        />
        <Select
          aria-label="Person"
          placeholder="Any person"
          size="xs"
          w={170}
          clearable
          searchable
          data={actors.toSorted((a, b) => a.label.localeCompare(b.label))}
          value={search.actor ?? null}
          onChange={(value) => setSearch({ actor: value ?? undefined })}
        />
        <TextInput
          type="date"
          aria-label="From date"
          size="xs"
          w={176}
          leftSection={<Text size="xs">From</Text>}
          leftSectionWidth={46}
          value={toDay(search.since)}
          onChange={({ currentTarget }) => setSearch({ since: startOfDay(currentTarget.value) })}
        />
        <TextInput
          type="date"
          aria-label="To date"
          size="xs"
          w={160}
          leftSection={<Text size="xs">To</Text>}
          leftSectionWidth={30}
          value={toDay(search.until, -1)}
          onChange={({ currentTarget }) => setSearch({ until: endOfDay(currentTarget.value) })}
        />
      </Group>
      <FilterButtons
        filters={setFilters({ search, setSearch, names, events })}
        onClear={() => setSearch(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
      />
    </Stack>
  );
}

/** People and keys that can be chosen: those of the settings, if the role may read them, and those of the shown events. */
function useActorNames(events: readonly AuditEvent[], current: string | undefined): ReadonlyMap<string, string> {
  const enabled = useSession().canReadManagement;
  const members = useQuery({ ...trpc.management.member.list.queryOptions(), enabled }).data ?? [];
  const keys = useQuery({ ...trpc.management.apiKey.list.queryOptions(), enabled }).data ?? [];
  const users = [...members, ...keys.map(({ user }) => user), ...events.map(({ actor }) => actor)];
  const names = new Map(users.map(({ uniqueId, name }) => [uniqueId, name]));
  if (current !== undefined && !names.has(current)) names.set(current, 'Another user');
  return names;
}
