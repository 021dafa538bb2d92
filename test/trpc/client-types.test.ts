import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { entities } from '../../entities/index.ts';
import type { GrantedEntity } from '../../entities/index.ts';
import type { TaskRecord } from '../../entities/task/statements.ts';
import type { VendorRecord } from '../../entities/vendor/statements.ts';
import type { TaskStatus } from '../../entities/task/task.ts';
import type { VendorStatus } from '../../entities/vendor/vendor.ts';
import type { AppRouter } from '../../procedures/index.ts';
import type { TaskOutput } from '../../procedures/task/schemas.ts';
import type { VendorOutput } from '../../procedures/vendor/schemas.ts';

// The compiler checks these types in `npm run check`. Running the tests checks nothing more.
type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;
type GotTask = Outputs['task']['get'];
type GotVendor = Outputs['vendor']['get'];
/** Only a single task or vendor has an entity tag. */
type Untagged<Item> = Omit<Item, 'etag'>;

test('an entity declares the write privileges of its table', () => {
  expectTypeOf<{ name: string; writePrivileges: ['insert'] }>().toExtend<GrantedEntity>();
  expectTypeOf<{ name: string; writePrivileges: ['truncate'] }>().not.toExtend<GrantedEntity>();
  expectTypeOf<{ name: string }>().not.toExtend<GrantedEntity>();
  expectTypeOf(entities).toExtend<readonly GrantedEntity[]>();
});

test('outputs have the types of the contract', () => {
  expectTypeOf<Untagged<GotVendor>>().toEqualTypeOf<z.infer<typeof VendorOutput>>();
  expectTypeOf<VendorRecord>().toExtend<Untagged<GotVendor>>();
  expectTypeOf<Untagged<GotTask>>().toEqualTypeOf<z.infer<typeof TaskOutput>>();
  expectTypeOf<TaskRecord>().toExtend<Untagged<GotTask>>();
  expectTypeOf<(GotTask | GotVendor)['etag']>().toEqualTypeOf<string>();
  expectTypeOf<Outputs['task']['create']>().toEqualTypeOf<GotTask>();
  expectTypeOf<Outputs['task']['update']>().toEqualTypeOf<GotTask>();
  expectTypeOf<Outputs['vendor']['create']>().toEqualTypeOf<GotVendor>();
  expectTypeOf<Outputs['vendor']['updateAndGet']>().toEqualTypeOf<GotVendor>();
  expectTypeOf<Outputs['task']['list']>().toEqualTypeOf<{
    total: number;
    items?: Untagged<GotTask>[];
    nextCursor?: string | null;
  }>();
  expectTypeOf<Outputs['vendor']['page']['items']>().toEqualTypeOf<Outputs['vendor']['list']>();
  expectTypeOf<Outputs['vendor']['list']>().toEqualTypeOf<
    { uniqueId: string; name: string; status: VendorStatus }[] | Untagged<GotVendor>[]
  >();
  expectTypeOf<Outputs['vendor']['update']>().toBeNever(); // the type that tRPC infers for `z.void()`
});

test('a filter takes text that begins with a known value, and no value with a typing error', () => {
  type Status = NonNullable<Inputs['task']['listAll']['status']>;
  expectTypeOf<'open' | 'todo,done'>().toExtend<Status>();
  expectTypeOf<'opne'>().not.toExtend<Status>();
  expectTypeOf<string>().not.toExtend<Status>();
  expectTypeOf<Inputs['task']['list']['status']>().toEqualTypeOf<Status | undefined>();
});

test('only inputs with a default are optional', () => {
  expectTypeOf<{ name: string }>().toExtend<Inputs['vendor']['create']>();
  expectTypeOf<{ description: string }>().not.toExtend<Inputs['vendor']['create']>();
  expectTypeOf<{ framework: number; title: string }>().toExtend<Inputs['task']['create']>();
  expectTypeOf<Inputs['task']['update']['status']>().toEqualTypeOf<TaskStatus | undefined>();
  expectTypeOf<Inputs['task']['update']['dueDate']>().toEqualTypeOf<string | null | undefined>();
});
