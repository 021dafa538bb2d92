import * as fc from 'fast-check';

/** Fields of a task as a step gives them: numbers choose among what there is when it is taken. */
export interface TaskWish {
  title?: number;
  description?: number;
  priority?: number;
  labels?: number[];
  startDate?: number | null;
  dueDate?: number | null;
  department?: Choice | null;
  gaps?: Choice[];
  status?: string;
}

export interface VendorWish {
  name?: number;
  description?: number;
  active?: boolean;
  status?: string;
}

/** One of two of the company's own, or of the next company's. */
export interface Choice {
  no: 0 | 1;
  isOwn: boolean;
}

export type Match = 'right' | 'old' | undefined;

/** What one of the companies does. */
export type Deed =
  | { do: 'create task'; framework: Choice; wish: TaskWish }
  | { do: 'update task'; wish: TaskWish; match: Match }
  | { do: 'create vendor'; wish: VendorWish }
  | { do: 'update vendor'; wish: VendorWish; match: Match; isShown: boolean }
  | { do: 'delete task' | 'delete vendor'; match: Match }
  | { do: 'get task' | 'get vendor' | 'task history' | 'vendor history' }
  | { do: 'list tasks'; framework: Choice; filter: TaskFilter; limit: number | undefined }
  | { do: 'list vendors'; status: string | undefined; limit: number | undefined; cursor: 'own' | 'foreign' | undefined }
  | { do: 'trail'; of: 'task' | 'vendor' }
  | { do: 'archive' | 'rename'; what: 'framework' | 'department' | 'gap'; which: Choice }
  | { do: 'rename key' | 'disable key' | 'enable key' };

export interface TaskFilter {
  status?: string;
  priority?: number;
  label?: number;
  department?: Choice;
  dueBefore?: number;
  dueAfter?: number;
  q?: number;
}

export interface Step {
  company: number;
  key: 'full' | 'narrow' | 'reader';
  road: 'REST' | 'tRPC';
  /** Which of its resources; of the next company's, where it is not its own. */
  at: number;
  isOwn: boolean;
  /** Says that it is the next company, in a header that is no business of a key's. */
  claims: boolean;
  /** Under which Idempotency-Key; the companies use the same. */
  once: number | undefined;
  deed: Deed;
}

/** What companies keep is looked at with filters that find something: few values of each. */
const STATUSES = ['todo', 'in_progress', 'in_review', 'done', 'not_applicable', 'canceled'];
const VENDOR_STATUSES = ['active', 'inactive', 'archived'];

const choice: fc.Arbitrary<Choice> = fc.record({
  no: fc.constantFrom(0, 1),
  isOwn: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const match: fc.Arbitrary<Match> = fc.constantFrom(undefined, undefined, 'right', 'old');
const status = fc.constantFrom(...STATUSES);
const vendorStatus = fc.constantFrom(...VENDOR_STATUSES);
const few = fc.nat(3);

const taskWish = {
  description: few,
  priority: fc.integer({ min: 1, max: 4 }),
  labels: fc.array(fc.nat(5), { maxLength: 4 }),
  startDate: fc.option(few),
  dueDate: fc.option(few),
  department: fc.option(choice),
  gaps: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Choice[]>([]) },
    { weight: 1, arbitrary: fc.array(choice, { maxLength: 2 }) },
  ),
};
const newTask = fc.record({ title: few, ...taskWish }, { requiredKeys: ['title'] });
const taskChanges = fc.record({ title: few, ...taskWish, status }, { requiredKeys: [] });
const newVendor = fc.record({ name: few, description: few, active: fc.boolean() }, { requiredKeys: ['name'] });
const vendorChanges = fc.record(
  { name: few, description: few, active: fc.boolean(), status: vendorStatus },
  { requiredKeys: [] },
);
const filter = fc.record(
  {
    status,
    priority: fc.integer({ min: 1, max: 4 }),
    label: fc.nat(5),
    department: choice,
    dueBefore: few,
    dueAfter: few,
    q: few,
  },
  { requiredKeys: [] },
);
const one = fc.constant;
const limit = sometimes(fc.constantFrom(1, 2, 100));

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: one('create task' as const), framework: choice, wish: newTask }) },
  { weight: 8, arbitrary: fc.record({ do: one('update task' as const), wish: taskChanges, match }) },
  { weight: 5, arbitrary: fc.record({ do: one('create vendor' as const), wish: newVendor }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: one('update vendor' as const), wish: vendorChanges, match, isShown: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('delete task', 'delete vendor'), match }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('get task', 'get vendor', 'task history', 'vendor history') }),
  },
  { weight: 5, arbitrary: fc.record({ do: one('list tasks' as const), framework: choice, filter, limit }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: one('list vendors' as const),
      status: sometimes(vendorStatus),
      limit,
      cursor: fc.constantFrom(undefined, undefined, 'own', 'foreign'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: one('trail' as const), of: fc.constantFrom('task', 'vendor') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('archive', 'rename'),
      what: fc.constantFrom('framework', 'department', 'gap'),
      which: choice,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('rename key', 'disable key', 'enable key', 'enable key') }) },
);

const mostly = (weight: number) =>
  fc.oneof({ weight, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });

/** So many companies take these steps by turns. */
export const COMPANIES = 3;

export const step: fc.Arbitrary<Step> = fc.record({
  company: fc.nat(COMPANIES - 1),
  key: fc.constantFrom('full', 'full', 'full', 'full', 'full', 'narrow', 'narrow', 'reader'),
  road: fc.constantFrom('REST', 'tRPC'),
  at: fc.nat(9),
  isOwn: mostly(5),
  claims: mostly(5).map((isModest) => !isModest),
  once: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(3) }),
  deed,
});
