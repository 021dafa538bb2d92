import { frameworkCondition } from '../schema/access.ts';
import type { Placeholders } from '../statements/define-statement.ts';

/** Condition: the read scopes and the frameworks of the principal reach the task or vendor of evidence. */
export const isReachable = (alias: string, { scopes, keyFrameworks }: Placeholders<object>) =>
  `(${alias}.task_id is not null and 'task:read' = any(${scopes}::text[]) and ${frameworkCondition(`${alias}.framework_id`, keyFrameworks)}
        or ${alias}.vendor_id is not null and 'vendor:read' = any(${scopes}::text[]))`;
