import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import type { FindName } from './values.ts';

const NO_FRAMEWORK = 0;

/** Names of departments and frameworks, and of the gaps of one framework. */
export function useNames(framework?: number): FindName {
  const departments = useQuery(trpc.department.list.queryOptions()).data ?? [];
  const frameworks = useQuery(trpc.framework.list.queryOptions()).data ?? [];
  const gapQuery = trpc.gap.list.queryOptions({ framework: framework ?? NO_FRAMEWORK });
  const gaps = useQuery({ ...gapQuery, enabled: framework !== undefined }).data ?? [];
  return (field, id) => {
    if (field === 'departmentId') return departments.find((one) => one.id === id)?.name;
    if (field === 'framework' || field === 'frameworks') return frameworks.find((one) => one.id === id)?.name;
    return field === 'gaps' ? gaps.find((one) => one.id === id)?.title : undefined;
  };
}
