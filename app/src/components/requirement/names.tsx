import { NativeSelect } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, trpc } from '../../api/client.ts';
import type { Found } from '../record/linked.tsx';
import { nameStore, useTypedSearch } from '../record/name-store.ts';
import { referenceOptions } from '../task/choices.ts';
import { nameOf } from './choices.ts';

/** Refs and titles of requirements. */
export const requirementNames = nameStore({
  noun: 'requirement',
  key: trpc.requirement.get.pathKey(),
  read: async (requirement, options) => nameOf(await client.requirement.get.query({ requirement }, options)),
});

/** Every status. A heading has none. */
const ANY_STATUS = 'met,partly_met,not_met,not_assessed,not_applicable';

/**
 * Requirements of a framework whose refs or titles have what a person types, without headings.
 * @param framework that of the task; a person may search in another one
 */
export function useRequirementSearch(framework: number | undefined): Found {
  const [other, setOther] = useState<number>();
  const frameworks = useQuery(trpc.framework.list.queryOptions()).data ?? [];
  const { input, options, ...typed } = useTypedSearch();
  const searched = other ?? framework ?? frameworks[0]?.id;
  const { data } = useQuery(
    trpc.requirement.list.queryOptions(
      searched === undefined ? skipToken : { ...input, framework: searched, status: ANY_STATUS },
      options,
    ),
  );
  return {
    ...typed,
    found: (data?.items ?? []).map((item) => ({ value: item.uniqueId, label: nameOf(item) })),
    isLoaded: data !== undefined,
    place: frameworks.length > 1 && (
      <NativeSelect
        size="xs"
        mt={4}
        aria-label="Requirements of"
        data={referenceOptions(frameworks, { withArchived: true })}
        value={String(searched)}
        onChange={({ currentTarget }) => setOther(Number(currentTarget.value))}
      />
    ),
  };
}
