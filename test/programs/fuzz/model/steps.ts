import * as fc from 'fast-check';

/** Fields of a task in a step. Numbers select values, which the step runner looks up when it runs the step. */
export interface TaskStepInput {
  title?: number;
  description?: number;
  priority?: number;
  labels?: number[];
  startDate?: number | null;
  dueDate?: number | null;
  department?: ReferenceChoice | null;
  gaps?: ReferenceChoice[];
  status?: string;
}

export interface VendorStepInput {
  name?: number;
  description?: number;
  active?: boolean;
  status?: string;
}

/** Selects one of two frameworks, departments or gaps, of the company or of the next company. */
export interface ReferenceChoice {
  index: 0 | 1;
  isOwn: boolean;
}

/** An upsert by one of a few external ids. */
export interface PutOptions {
  externalId: number;
  mode: 'replace' | 'merge';
  create: boolean;
  recreate: boolean;
  dryRun: boolean;
}

export type EntityTagMatch = 'current' | 'stale' | undefined;

/** Action of a company. */
export type Action =
  | { type: 'create task'; framework: ReferenceChoice; input: TaskStepInput }
  | { type: 'update task'; input: TaskStepInput; match: EntityTagMatch }
  | { type: 'create vendor'; input: VendorStepInput }
  | { type: 'update vendor'; input: VendorStepInput; match: EntityTagMatch; returnsResult: boolean }
  | { type: 'delete task' | 'delete vendor'; match: EntityTagMatch }
  | { type: 'get task' | 'get vendor' | 'task history' | 'vendor history' }
  | {
      type: 'list tasks';
      framework: ReferenceChoice;
      filter: TaskFilter;
      sort?: TaskSort | undefined;
      limit: number | undefined;
    }
  | {
      type: 'list vendors';
      status: string | undefined;
      view?: 'full' | undefined;
      limit: number | undefined;
      cursor: 'own' | 'foreign' | undefined;
    }
  | { type: 'list reference data'; kind: 'framework' | 'department' | 'gap'; choice: ReferenceChoice }
  | { type: 'put task'; framework: ReferenceChoice; input: TaskStepInput; options: PutOptions; match: EntityTagMatch }
  | { type: 'put vendor'; input: VendorStepInput; options: PutOptions; match: EntityTagMatch }
  | {
      type: 'get by external id' | 'delete by external id';
      kind: 'task' | 'vendor';
      framework: ReferenceChoice;
      externalId: number;
    }
  | { type: 'batch vendors'; atomic: boolean; items: { externalId: number; input: VendorStepInput }[] }
  | { type: 'read report'; framework: ReferenceChoice }
  | { type: 'list audit log'; resourceType: 'task' | 'vendor' }
  | { type: 'follow changes' }
  | { type: 'archive' | 'rename'; kind: 'framework' | 'department' | 'gap'; choice: ReferenceChoice }
  | { type: 'rename key' | 'disable key' | 'enable key' };

/** The orders that the model can predict. It does not know the times of changes. */
export type TaskSort = '-createdAt' | 'createdAt' | 'dueDate' | '-dueDate' | 'priority';

interface TaskFilter {
  status?: string;
  priority?: number | string;
  label?: number;
  department?: ReferenceChoice;
  dueBefore?: number;
  dueAfter?: number;
  q?: number;
}

export interface Step {
  company: number;
  key: 'full' | 'narrow' | 'reader';
  transport: 'REST' | 'tRPC';
  /** Index of the resource, of the company or of the next company. */
  resourceIndex: number;
  isOwn: boolean;
  /** Sends the id of the next company in `X-Company-Id`, which must have no effect for API keys. */
  claimsOtherCompany: boolean;
  /** Number of the Idempotency-Key. All companies use the same keys. */
  idempotencyKey: number | undefined;
  action: Action;
}

/** Few values of each field, so that filters match some resources. */
const TASK_STATUSES = ['todo', 'in_progress', 'in_review', 'done', 'not_applicable', 'canceled'];
const VENDOR_STATUSES = ['active', 'inactive', 'archived'];

const referenceChoice: fc.Arbitrary<ReferenceChoice> = fc.record({
  index: fc.constantFrom(0, 1),
  isOwn: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const entityTagMatch: fc.Arbitrary<EntityTagMatch> = fc.constantFrom(undefined, undefined, 'current', 'stale');
const taskStatus = fc.constantFrom(...TASK_STATUSES);
const vendorStatus = fc.constantFrom(...VENDOR_STATUSES);
const smallIndex = fc.nat(3);

const taskFields = {
  description: smallIndex,
  priority: fc.integer({ min: 1, max: 4 }),
  labels: fc.array(fc.nat(5), { maxLength: 4 }),
  startDate: fc.option(smallIndex),
  dueDate: fc.option(smallIndex),
  department: fc.option(referenceChoice),
  gaps: fc.oneof(
    { weight: 3, arbitrary: fc.constant<ReferenceChoice[]>([]) },
    { weight: 1, arbitrary: fc.array(referenceChoice, { maxLength: 2 }) },
  ),
};
const newTask = fc.record({ title: smallIndex, ...taskFields }, { requiredKeys: ['title'] });
const taskChanges = fc.record({ title: smallIndex, ...taskFields, status: taskStatus }, { requiredKeys: [] });
const newVendor = fc.record(
  { name: smallIndex, description: smallIndex, active: fc.boolean() },
  { requiredKeys: ['name'] },
);
const vendorChanges = fc.record(
  { name: smallIndex, description: smallIndex, active: fc.boolean(), status: vendorStatus },
  { requiredKeys: [] },
);
const filter = fc.record(
  {
    status: fc.oneof(
      taskStatus,
      fc.array(fc.constantFrom('open', ...TASK_STATUSES), { minLength: 1, maxLength: 4 }).map((list) => list.join(',')),
    ),
    priority: fc.oneof(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }).map((list) => list.join(',')),
    ),
    label: fc.nat(5),
    department: referenceChoice,
    dueBefore: smallIndex,
    dueAfter: smallIndex,
    q: smallIndex,
  },
  { requiredKeys: [] },
);
const referenceKind = fc.constantFrom('framework' as const, 'department' as const, 'gap' as const);
const sort = optional(fc.constantFrom<TaskSort[]>('-createdAt', 'createdAt', 'dueDate', '-dueDate', 'priority'));
const putOptions: fc.Arbitrary<PutOptions> = fc.record({
  externalId: smallIndex,
  mode: fc.constantFrom('replace' as const, 'merge' as const),
  create: fc.constantFrom(true, true, false),
  recreate: fc.boolean(),
  dryRun: fc.constantFrom(false, false, true),
});
const limit = optional(fc.constantFrom(1, 2, 100));

type ActionType = Action['type'];
type Fields<Type extends ActionType> = Omit<Extract<Action, { type: Type }>, 'type'>;

/** Actions of one of some types, which have the same fields. */
const actions = <Type extends ActionType>(
  weight: number,
  types: readonly [Type, ...Type[]],
  fields: { [Name in keyof Fields<Type>]: fc.Arbitrary<Fields<Type>[Name]> },
) => ({ weight, arbitrary: fc.record({ type: fc.constantFrom(...types), ...fields }) });

const actionArbitrary = fc.oneof(
  actions(8, ['create task'], { framework: referenceChoice, input: newTask }),
  actions(8, ['update task'], { input: taskChanges, match: entityTagMatch }),
  actions(5, ['create vendor'], { input: newVendor }),
  actions(6, ['update vendor'], { input: vendorChanges, match: entityTagMatch, returnsResult: fc.boolean() }),
  actions(3, ['delete task', 'delete vendor'], { match: entityTagMatch }),
  actions(6, ['get task', 'get vendor', 'task history', 'vendor history'], {}),
  actions(5, ['list tasks'], { framework: referenceChoice, filter, sort, limit }),
  actions(3, ['list vendors'], {
    status: optional(vendorStatus),
    view: fc.constantFrom(undefined, undefined, 'full'),
    limit,
    cursor: fc.constantFrom(undefined, undefined, 'own', 'foreign'),
  }),
  actions(6, ['put task'], {
    framework: referenceChoice,
    input: taskChanges,
    options: putOptions,
    match: entityTagMatch,
  }),
  actions(6, ['put vendor'], { input: vendorChanges, options: putOptions, match: entityTagMatch }),
  actions(5, ['get by external id', 'get by external id', 'delete by external id'], {
    kind: fc.constantFrom('task', 'vendor'),
    framework: referenceChoice,
    externalId: smallIndex,
  }),
  actions(3, ['batch vendors'], {
    atomic: fc.boolean(),
    items: fc.uniqueArray(fc.record({ externalId: smallIndex, input: vendorChanges }), {
      minLength: 1,
      maxLength: 4,
      selector: ({ externalId }) => externalId,
    }),
  }),
  actions(2, ['list reference data'], { kind: referenceKind, choice: referenceChoice }),
  actions(1, ['read report'], { framework: referenceChoice }),
  actions(2, ['list audit log'], { resourceType: fc.constantFrom('task', 'vendor') }),
  actions(1, ['follow changes'], {}),
  actions(2, ['archive', 'rename'], { kind: referenceKind, choice: referenceChoice }),
  actions(2, ['rename key', 'disable key', 'enable key', 'enable key'], {}),
) as fc.Arbitrary<Action>;

const mostlyTrue = (weight: number) =>
  fc.oneof({ weight, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });

/** Number of companies that take turns. */
export const COMPANY_COUNT = 3;

export const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  company: fc.nat(COMPANY_COUNT - 1),
  key: fc.constantFrom('full', 'full', 'full', 'full', 'full', 'narrow', 'narrow', 'reader'),
  transport: fc.constantFrom('REST', 'tRPC'),
  resourceIndex: fc.nat(9),
  isOwn: mostlyTrue(5),
  claimsOtherCompany: mostlyTrue(5).map((isHonest) => !isHonest),
  idempotencyKey: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(3) }),
  action: actionArbitrary,
});
