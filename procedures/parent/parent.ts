import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { uniqueIdOutput } from '../../entities/fields/schemas.ts';
import type { Operation, ResourceAccess } from '../../entities/schema/access.ts';
import type { Operation as RestOperation } from '../core/declaration/meta.ts';
import { RequirementId } from '../requirement/schemas.ts';
import { BASE_PATH as REQUIREMENTS, actions as requirements } from '../requirement/write.ts';
import { TaskId } from '../task/schemas.ts';
import { BASE_PATH as TASKS, actions as tasks } from '../task/write.ts';
import { VendorId } from '../vendor/schemas.ts';
import { BASE_PATH as VENDORS, actions as vendors } from '../vendor/write.ts';

/** The resources that others belong to, by the input field with their id. */
const PARENTS = {
  taskUniqueId: { noun: 'task', path: `${TASKS}/{taskUniqueId}`, id: TaskId.shape.taskUniqueId },
  vendor: { noun: 'vendor', path: `${VENDORS}/{vendor}`, id: VendorId.shape.vendor },
  requirement: {
    noun: 'requirement',
    path: `${REQUIREMENTS}/{requirement}`,
    id: RequirementId.shape.requirement,
  },
} as const;
type ParentNoun = (typeof PARENTS)[ParentField]['noun'];
type ParentField = keyof typeof PARENTS;
const isParentField = (field: string): field is ParentField => field in PARENTS;

/** Input of a procedure for objects that belong to another one. */
type ParentInput = { [Field in ParentField]?: string | undefined };

/** Schema of the parent of an item. */
export const ParentOutput = z.object({
  type: z.enum(['task', 'vendor', 'requirement']).meta({ description: 'Type of the resource' }),
  uniqueId: uniqueIdOutput,
});

/** The one resource that those of a type belong to. @throws Error for a resource with several parents, or with none */
export function parentOf({ type, access: { parents } }: { type: string; access: ResourceAccess }) {
  const [parent, ...others] = parents;
  if (parent === undefined || others.length > 0 || !isParentField(parent.field))
    throw new Error(`${type}: expected one parent, a task, a vendor or a requirement`);
  const { field } = parent;
  const { noun, path, id } = PARENTS[field];
  const output = ParentOutput.extend({ type: z.enum([noun]).meta({ description: 'Type of the resource' }) });
  return {
    field,
    noun,
    path,
    shape: { [field]: id },
    output: output.meta({ description: `The ${noun} that it belongs to` }),
    read: (session: Session, uniqueId: string) => readParent(session, { [field]: uniqueId }),
  };
}

/** Schema of an input with exactly one of a task, a vendor and a requirement. */
export const ofParent = <Shape extends z.ZodRawShape>(shape: Shape, params?: z.core.$ZodObjectParams) =>
  z
    .strictObject(
      {
        taskUniqueId: TaskId.shape.taskUniqueId.optional(),
        vendor: VendorId.shape.vendor.optional(),
        requirement: RequirementId.shape.requirement.optional(),
        ...shape,
      },
      params,
    )
    .refine(hasOneParent, { path: ['taskUniqueId'], error: 'expected one of taskUniqueId, vendor and requirement' });

const hasOneParent = (input: object) =>
  Object.keys(PARENTS).filter((field) => Reflect.get(input, field) !== undefined).length === 1;

/** Ids of the parents of a new resource. */
export const parentFields = ({ taskUniqueId, vendor, requirement }: ParentInput) => ({
  taskUniqueId: taskUniqueId ?? null,
  vendor: vendor ?? null,
  requirement: requirement ?? null,
});

/** Field and id of the parent that an input names. */
export function namedParent({ taskUniqueId, vendor, requirement = '' }: ParentInput): [ParentField, string] {
  if (taskUniqueId !== undefined) return ['taskUniqueId', taskUniqueId];
  return vendor === undefined ? ['requirement', requirement] : ['vendor', vendor];
}

/** The kind of the parent that an input names. */
export const parentNoun = (input: ParentInput): ParentNoun => PARENTS[namedParent(input)[0]].noun;

const ACTIONS = { taskUniqueId: tasks, vendor: vendors, requirement: requirements };

/** The parent that an input names. @throws ApiError 404, or 403 without access */
export function readParent(session: Session, input: ParentInput): Promise<object> {
  const [field, id] = namedParent(input);
  return ACTIONS[field].read(session, id);
}

/**
 * REST operations of a procedure for what belongs to a task, a vendor or a requirement: one below each, with the scopes of that one.
 * @param shape input fields beside the parent
 * @param params of the schema of the input
 * @param describe method, end of the path and texts of the operation below each
 */
export const parentOperations = (
  { access }: { access: ResourceAccess },
  operation: Operation,
  shape: z.ZodRawShape,
  describe: (noun: ParentNoun) => RestOperation['openapi'],
  params?: z.core.$ZodObjectParams,
): RestOperation[] =>
  access.parents.map((parent) => {
    const { field } = parent;
    if (!isParentField(field)) throw new Error(`${field}: expected a field of a task, a vendor or a requirement`);
    const { noun, path, id } = PARENTS[field];
    const openapi = describe(noun);
    return {
      openapi: { ...openapi, path: `${path}${openapi.path}` },
      input: z.strictObject({ [field]: id, ...shape }, params),
      scopes: parent.scopes[operation],
    };
  });
