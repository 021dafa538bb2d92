import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import { requirementNames } from '../requirement/names.tsx';
import { vendorNames } from '../vendor/names.ts';
import type { FindName } from './values.ts';

const NO_FRAMEWORK = 0;

/** Fields with uniqueIds of requirements. */
const OF_REQUIREMENTS = new Set(['requirements', 'requirement', 'parent']);

/** Names of departments, frameworks, vendors and requirements, and of the gaps of one framework. */
export function useNames(framework?: number): FindName {
  const departments = useQuery(trpc.department.list.queryOptions()).data ?? [];
  const frameworks = useQuery(trpc.framework.list.queryOptions()).data ?? [];
  const gapQuery = trpc.gap.list.queryOptions({ framework: framework ?? NO_FRAMEWORK });
  const gaps = useQuery({ ...gapQuery, enabled: framework !== undefined }).data ?? [];
  const vendorName = vendorNames.useName();
  const requirementName = requirementNames.useName();
  return (field, id) => {
    if (typeof id === 'string' && OF_REQUIREMENTS.has(field)) return requirementName(id);
    if (typeof id === 'string') return field === 'vendors' ? vendorName(id) : undefined;
    if (field === 'departmentId') return departments.find((one) => one.id === id)?.name;
    if (field === 'framework' || field === 'frameworks') return frameworks.find((one) => one.id === id)?.name;
    return field === 'gaps' ? gaps.find((one) => one.id === id)?.title : undefined;
  };
}
