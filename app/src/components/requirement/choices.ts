import type { Outputs } from '../../api/client.ts';
import { valuesOf } from '../../api/values.ts';

export type Requirement = Outputs['requirement']['get'];
/** Status of a requirement that is no heading. */
export type RequirementStatus = NonNullable<Requirement['status']>;
export type Result = NonNullable<Requirement['assessment']>['result'];

export const RESULTS = valuesOf<Result>({ met: '', partly_met: '', not_met: '' });
export const STATUSES = valuesOf<RequirementStatus>({
  met: '',
  partly_met: '',
  not_met: '',
  not_assessed: '',
  not_applicable: '',
});

/** "A.5.1 Policies for information security" */
export const nameOf = ({ ref, title }: Pick<Requirement, 'ref' | 'title'>): string => `${ref} ${title}`;
