import { z } from 'zod';
import { EXTERNAL_ID_LIMITS } from '../../entities/external-id/external-id.ts';
import {
  EXAMPLE_IDS,
  booleanInput,
  enumInput,
  expected,
  forModels,
  integerOutput,
  maxLength,
  minLength,
  pathId,
  uniqueIdInput,
} from '../../entities/fields/schemas.ts';
import { ERROR_CODES } from '../core/errors.ts';
import { MAX_TAG_LENGTH, tagOutput } from './entity-tag.ts';
import { dryRunInput, upsertMode } from './external-id.ts';

const BATCH_OPERATIONS = ['create', 'update', 'upsert', 'delete'] as const;
export type BatchOperation = (typeof BATCH_OPERATIONS)[number];

const MAX_BATCH_ITEMS = 100;
export const MAX_BATCH_BYTES = 2 * 1024 * 1024;

/** Text that the single request validates. Its maximum length is only documented. */
const text = (maximum: number, description: string, example: string) =>
  z
    .string(expected('text'))
    .meta({ maxLength: maximum, description, examples: [example] })
    .optional();

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object as it is. `z.record` would drop `__proto__`, which the single request rejects. */
const bodyInput = z
  .custom<Record<string, unknown>>(isObject, expected('an object'))
  .register(z.globalRegistry, { description: 'Body of the single request', examples: [{ name: 'Cloud Ltd' }] });
// Belongs to this instance: `meta` and other methods that copy the schema would lose it.
bodyInput._zod.toJSONSchema = () => ({
  type: 'object',
  propertyNames: { type: 'string', maxLength: 100 },
  additionalProperties: {},
});

const itemShape = {
  op: enumInput(BATCH_OPERATIONS)
    .meta({ description: 'What to do; `upsert` is the PUT by external id' })
    .register(forModels, { description: undefined }),
  uniqueId: uniqueIdInput('Target of an update or a deletion', EXAMPLE_IDS.vendor).optional(),
  source: text(
    EXTERNAL_ID_LIMITS.maxSourceLength,
    'With `externalId`, the target of an update, an upsert or a deletion',
    'servicenow',
  ),
  externalId: text(EXTERNAL_ID_LIMITS.maxLength, 'Id of the target in the other system', 'VEN-0042'),
  mode: upsertMode.meta({ description: 'Mode of an upsert, as for PUT', examples: ['merge'] }).optional(),
  ifMatch: text(MAX_TAG_LENGTH, 'Entity tag of the target, without quotes', '1-5f0c2a91'),
  body: bodyInput.optional(),
};

const frameworkShape = {
  framework: z
    .number(expected('an integer'))
    .meta({ description: 'Framework of a new task, or of a task that is named by its external id', examples: [1] })
    .optional(),
};

const VendorBatchItem = z.strictObject(itemShape);
const TaskBatchItem = z.strictObject({ ...itemShape, ...frameworkShape });

export type BatchItem = z.infer<typeof TaskBatchItem>;

/** Fields that name the target of an item. Each operation takes one of these sets. */
const TARGETS = (hasFramework: boolean): Record<BatchOperation, readonly (readonly (keyof BatchItem)[])[]> => {
  const external = ['source', 'externalId', ...(hasFramework ? (['framework'] as const) : [])] as const;
  return {
    create: [hasFramework ? ['framework'] : []],
    update: [['uniqueId'], external],
    upsert: [external],
    delete: [['uniqueId'], external],
  };
};

const TARGET_FIELDS = ['uniqueId', 'source', 'externalId', 'framework'] as const;

/** Fields beside the target that an operation takes. */
const OTHER_FIELDS: Record<BatchOperation, readonly (keyof BatchItem)[]> = {
  create: ['body'],
  update: ['body', 'ifMatch'],
  upsert: ['body', 'ifMatch', 'mode'],
  delete: ['ifMatch'],
};

/** The target of an item as text; undefined for a create, which has none. */
function targetOf({ op, uniqueId, framework, source, externalId }: BatchItem): string | undefined {
  if (op === 'create') return undefined;
  return JSON.stringify(uniqueId ?? [framework, source, externalId]);
}

/** Adds an issue for each item whose target is missing, or is the target of an item before it. */
function checkItems(items: readonly BatchItem[], issues: z.RefinementCtx, hasFramework: boolean): void {
  const indexByTarget = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const addIssue = (field: string | undefined, message: string) =>
      issues.addIssue({ code: 'custom', path: ['items', index, ...(field === undefined ? [] : [field])], message });
    const { op } = item;
    const isGiven = (field: keyof BatchItem) => item[field] !== undefined;
    const targets = TARGETS(hasFramework)[op];
    const target = targets.find((fields) => fields.some(isGiven)) ?? targets[0] ?? [];
    const missing = target.find((field) => !isGiven(field));
    const allowed = new Set([...target, ...OTHER_FIELDS[op]]);
    const excess = [...TARGET_FIELDS, 'body' as const, 'ifMatch' as const, 'mode' as const].find(
      (field) => isGiven(field) && !allowed.has(field),
    );
    if (missing !== undefined) addIssue(missing, 'required');
    else if (excess !== undefined) addIssue(excess, `not allowed here with op ${op}`);
    const key = targetOf(item);
    if (key === undefined) continue;
    const first = indexByTarget.get(key);
    if (first === undefined) indexByTarget.set(key, index);
    else addIssue(undefined, `expected another target than that of items.${first}`);
  }
}

const EXPECTED_ITEMS = `an array of 1 to ${MAX_BATCH_ITEMS} items`;

function batchShape<Item extends z.ZodType<BatchItem, BatchItem>>(item: Item) {
  const items = z
    .array(item, expected(EXPECTED_ITEMS))
    .check(minLength(1, expected(EXPECTED_ITEMS)), maxLength(MAX_BATCH_ITEMS, expected(EXPECTED_ITEMS)))
    .meta({ description: 'Single requests, each with a target of its own' })
    .register(forModels, { description: undefined });
  return {
    atomic: booleanInput
      .default(false)
      .meta({ description: '`true`: one item that fails rejects the whole batch', examples: [false] }),
    items,
    ...dryRunInput,
  };
}

const checkWith =
  (hasFramework: boolean) =>
  ({ items }: { items: readonly BatchItem[] }, issues: z.RefinementCtx) =>
    checkItems(items, issues, hasFramework);

/** Requirements have no external ids, and the path has their framework. */
const RequirementBatchItem = z.strictObject({
  op: enumInput(['create', 'update', 'delete'])
    .meta({ description: 'What to do' })
    .register(forModels, { description: undefined }),
  uniqueId: itemShape.uniqueId,
  ifMatch: itemShape.ifMatch,
  body: itemShape.body,
});

export const VendorBatch = z.strictObject(batchShape(VendorBatchItem)).superRefine(checkWith(false));
export const RequirementBatch = z
  .strictObject({
    framework: pathId('Framework of all items').register(forModels, { description: 'Id from `framework_list`' }),
    ...batchShape(RequirementBatchItem),
  })
  .superRefine(checkWith(false));
export const TaskBatch = z.strictObject(batchShape(TaskBatchItem)).superRefine(checkWith(true));

/** Results of a batch, in the order of its items. */
export const batchOutput = <Item extends z.ZodType>(item: Item, id: string) => {
  const count = (description: string) => integerOutput(0, MAX_BATCH_ITEMS, description);
  const result = z.object({
    index: integerOutput(0, MAX_BATCH_ITEMS - 1, 'Index of the item in the request'),
    status: integerOutput(200, 599, 'Status of the single request').meta({ examples: [201] }),
    item: item.optional().meta({ description: 'The object after the request; absent after a deletion or an error' }),
    etag: tagOutput.optional(),
    error: z
      .string()
      .meta({ maxLength: 2000, description: 'Message of the single request', examples: ['name: required'] })
      .optional(),
    code: z.enum(ERROR_CODES).meta({ description: '`X-Error-Code` of the single request' }).optional(),
  });
  return z
    .object({
      succeeded: count('Number of items that succeeded'),
      failed: count('Number of items that failed'),
      results: z
        .array(result.meta({ id: `${id}Result`, description: 'Result of one item: `item`, or `error` and `code`' }))
        .meta({ maxItems: MAX_BATCH_ITEMS, description: 'One for each item, in their order' }),
    })
    .meta({ id: `${id}Results`, description: 'Results of a batch' });
};
