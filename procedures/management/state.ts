import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { ApiKey, MAX_KEYS } from '../../entities/api-key/api-key.ts';
import { booleanInput, expected, maxLength, nameInput, timestampInput } from '../../entities/fields/schemas.ts';
import { foldCase } from '../../entities/fold-case.ts';
import { Gap, gapResource } from '../../entities/reference-data/gap.ts';
import {
  Department,
  Framework,
  departmentResource,
  frameworkResource,
} from '../../entities/reference-data/reference-data.ts';
import { MAX_WEBHOOKS } from '../../entities/webhook/webhook.ts';
import { ApiKeySettings } from '../api-key/schemas.ts';
import type { Context } from '../core/context.ts';
import { requireEncryption, servicesOf } from '../core/services.ts';
import { managementProcedure, router } from '../core/trpc.ts';
import { changeWebhook, createWebhook, listWebhooks, removeWebhook } from '../webhook/endpoints.ts';
import { NewWebhook } from '../webhook/schemas.ts';
import { insertKey, lockKeys, tooManyKeys } from './api-key.ts';

/** Maximum number of objects of one kind in a state. */
const MAX_OBJECTS = 1000;

const objects = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item, expected('an array'))
    .check(maxLength(MAX_OBJECTS, `expected at most ${MAX_OBJECTS}`))
    .optional();

const { scopes, cidrs, frameworks: frameworkIds } = ApiKeySettings.shape;
const keyFrameworks = z
  .array(
    z.union([nameInput('Name of a framework'), frameworkIds.unwrap().unwrap().element], expected('a name or an id')),
    expected('an array of names or ids, or null for all'),
  )
  .min(1, 'expected at least one framework, or null for all');

const StateInput = z.strictObject({
  frameworks: objects(
    z.strictObject({
      name: frameworkResource.schemas.name.input,
      gaps: objects(z.strictObject({ title: gapResource.schemas.title.input })),
    }),
  ),
  departments: objects(z.strictObject({ name: departmentResource.schemas.name.input })),
  keys: objects(
    z.strictObject({
      name: nameInput('Name of the key'),
      scopes: scopes.unwrap(),
      frameworks: keyFrameworks.nullable().optional(),
      cidrs,
      expiresAt: timestampInput.nullable().optional(),
    }),
  ),
  webhooks: objects(NewWebhook.pick({ url: true, events: true, description: true })),
  dryRun: booleanInput.default(false).meta({ description: 'True changes nothing' }),
  prune: booleanInput.default(false).meta({ description: 'True also archives or ends what is missing in the state' }),
});
type Wanted = z.output<typeof StateInput>;

const ChangeOutput = z.object({
  action: z.enum(['create', 'update', 'archive', 'revoke', 'delete']),
  kind: z.enum(['framework', 'gap', 'department', 'key', 'webhook']),
  name: z.string().meta({ description: 'Name, title or URL' }),
  fields: z.array(z.string()).meta({ description: 'Fields that an update changes' }),
  secret: z.string().nullable().meta({ description: 'Of a new key or endpoint. No later response contains it.' }),
});
type Change = z.infer<typeof ChangeOutput>;

const StateOutput = z.object({ dryRun: z.boolean(), changes: z.array(ChangeOutput) });

const change = (action: Change['action'], kind: Change['kind'], name: string, more: Partial<Change> = {}): Change => ({
  action,
  kind,
  name,
  fields: [],
  secret: null,
  ...more,
});

/** Ends the transaction of a dry run, which has made every change but the commit. */
class DryRunEnd extends Error {
  readonly changes: Change[];

  constructor(changes: Change[]) {
    super('dry run');
    this.changes = changes;
  }
}

/** Changes the reference data, keys and endpoints of a company to match a state. Contract, section 35. */
export const state = router({
  put: managementProcedure('management:write')
    .meta({ description: 'Make frameworks, gaps, departments, keys and webhooks match a state', isStep: true })
    .input(StateInput)
    .output(StateOutput)
    .mutation(async ({ ctx, input }) => {
      const { dryRun } = input;
      // The statements of endpoints cannot join a unit of work. So everything that can be wrong with endpoints is checked before it.
      const webhooks = await planWebhooks(ctx, input);
      const changes = await ctx.session
        .inUnitOfWork((unit) =>
          unit.transactional(async (em) => {
            const made = await applyInUnit(em, ctx.session, input);
            if (dryRun) throw new DryRunEnd(made);
            return made;
          }),
        )
        .catch((error: unknown) => {
          if (error instanceof DryRunEnd) return error.changes;
          throw error;
        });
      if (dryRun)
        return {
          dryRun,
          changes: [...changes.map((one) => ({ ...one, secret: null })), ...webhooks.map(({ will }) => will)],
        };
      ctx.session.invalidateApiKeys();
      const sent = await ctx.session.transaction(async (session) => {
        const done: Change[] = [];
        for (const { run } of webhooks) done.push(await run({ ...ctx, session }));
        return done;
      });
      return { dryRun, changes: [...changes, ...sent] };
    }),
});

/** The wanted objects of a kind beside those of the company, and the objects that the state lacks. */
function match<One, Row>(
  place: string,
  wanted: readonly One[],
  wantedName: (one: One) => string,
  rows: readonly Row[],
  rowName: (row: Row) => string,
) {
  const present = Map.groupBy(rows, (row) => foldCase(rowName(row)));
  const names = new Set<string>();
  const pairs = wanted.map((one, index) => {
    const name = foldCase(wantedName(one));
    if (names.has(name)) throw new ApiError('unprocessable', `${place}.${index}: ${wantedName(one)} appears twice`);
    names.add(name);
    const [row, second] = present.get(name) ?? [];
    if (second !== undefined)
      throw new ApiError('unprocessable', `${place}.${index}: the company has two that are called ${wantedName(one)}`);
    return { one, row, index };
  });
  return { pairs, excess: rows.filter((row) => !names.has(foldCase(rowName(row)))) };
}

const nameOf = ({ name }: { name: string }) => name;
const titleOf = ({ title }: { title: string }) => title;
const urlOf = ({ url }: { url: string }) => url;
const ORDER = { orderBy: { id: 'asc' } } as const;

/** Changes everything but the endpoints. */
async function applyInUnit(em: SqlEntityManager, session: Session, wanted: Wanted): Promise<Change[]> {
  const { company } = session.principal;
  // Two runs at the same time would both create an object that neither finds.
  await lockKeys(em, session.principal);
  const changes: Change[] = [];
  const archive = (
    kind: Change['kind'],
    rows: readonly { archivedAt?: Date | null | undefined }[],
    names: string[],
  ) => {
    if (!wanted.prune) return;
    for (const [index, row] of rows.entries()) {
      row.archivedAt = new Date();
      changes.push(change('archive', kind, names[index] ?? ''));
    }
  };

  for (const [kind, entity, list, place] of [
    ['framework', Framework, wanted.frameworks, 'frameworks'],
    ['department', Department, wanted.departments, 'departments'],
  ] as const) {
    if (list === undefined) continue;
    const rows = await em.find(entity, { archivedAt: null }, ORDER);
    const { pairs, excess } = match<{ name: string }, Framework | Department>(place, list, nameOf, rows, nameOf);
    for (const { one, row } of pairs) {
      if (row !== undefined) continue;
      em.create(entity, { company, name: one.name });
      changes.push(change('create', kind, one.name));
    }
    archive(kind, excess, excess.map(nameOf));
    await em.flush();
  }

  const frameworks = await em.find(Framework, { archivedAt: null }, ORDER);
  for (const [index, { name, gaps }] of (wanted.frameworks ?? []).entries()) {
    const framework = frameworks.find((one) => foldCase(one.name) === foldCase(name));
    if (gaps === undefined || framework === undefined) continue;
    const rows = await em.find(Gap, { framework, archivedAt: null }, ORDER);
    const { pairs, excess } = match(`frameworks.${index}.gaps`, gaps, titleOf, rows, titleOf);
    for (const { one, row } of pairs) {
      if (row !== undefined) continue;
      em.create(Gap, { company, framework, title: one.title });
      changes.push(change('create', 'gap', one.title));
    }
    archive('gap', excess, excess.map(titleOf));
    await em.flush();
  }
  return [...changes, ...(await applyKeys(em, session, wanted, frameworks))];
}

async function applyKeys(
  em: SqlEntityManager,
  session: Session,
  { keys, prune }: Wanted,
  frameworks: readonly Framework[],
): Promise<Change[]> {
  if (keys === undefined) return [];
  const changes: Change[] = [];
  const idOf = (given: string | number, place: string): number => {
    const named = frameworks.filter(({ id, name }) =>
      typeof given === 'number' ? id === given : foldCase(name) === foldCase(given),
    );
    const [only] = named;
    if (only === undefined || named.length > 1)
      throw new ApiError('unprocessable', `${place}: expected one framework of the company that is called ${given}`);
    return only.id;
  };
  const rows = await em.find(ApiKey, { revokedAt: null }, { populate: ['user'], orderBy: { uniqueId: 'asc' } });
  const { pairs, excess } = match('keys', keys, nameOf, rows, nameOf);
  let count = rows.length - (prune ? excess.length : 0);
  for (const { one, row, index } of pairs) {
    const place = (field: string) => `keys.${index}.${field}`;
    const { name, expiresAt } = one;
    const ids = one.frameworks?.map((given, at) => idOf(given, `${place('frameworks')}.${at}`));
    const distinct = ids && [...new Set(ids)].toSorted((a, b) => a - b);
    const wanted = {
      scopes: one.scopes,
      frameworks: one.frameworks === null ? null : distinct,
      cidrs: one.cidrs,
      expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt,
    };
    const fields = Object.entries(wanted)
      .filter(([field, value]) => value !== undefined && !isEqual(value, Reflect.get(row ?? {}, field) ?? null))
      .map(([field]) => field);
    const isNewExpiry = row === undefined || fields.includes('expiresAt');
    if (isNewExpiry && wanted.expiresAt && wanted.expiresAt.getTime() <= Date.now())
      throw new ApiError('unprocessable', `${place('expiresAt')}: expected a time in the future`);
    if (row === undefined) {
      if (count >= MAX_KEYS) throw tooManyKeys(`keys.${index}`);
      count += 1;
      const { key } = insertKey(em, session.principal, { name, ...wanted });
      changes.push(change('create', 'key', name, { secret: key }));
    } else if (fields.length > 0) {
      em.assign(row, Object.fromEntries(fields.map((field) => [field, Reflect.get(wanted, field)])));
      changes.push(change('update', 'key', row.name, { fields }));
    }
  }
  for (const row of prune ? excess : []) {
    row.revokedAt = new Date();
    changes.push(change('revoke', 'key', row.name));
  }
  await em.flush();
  return changes;
}

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

type WebhookContext = Pick<Context, 'services' | 'ifMatch'> & { session: Session };

/** A change of an endpoint. */
interface PlannedWebhook {
  will: Change;
  run: (ctx: WebhookContext) => Promise<Change>;
}

/** Checks the wanted endpoints, and plans their changes: deletions first, which make room. */
async function planWebhooks(ctx: WebhookContext, { webhooks, prune }: Wanted): Promise<PlannedWebhook[]> {
  if (webhooks === undefined) return [];
  const services = servicesOf(ctx);
  const { items } = await listWebhooks(ctx, { limit: MAX_WEBHOOKS });
  // An endpoint whose key is revoked has ended.
  const present = items.filter(({ disabledReason }) => disabledReason !== 'key');
  const { pairs, excess } = match('webhooks', webhooks, urlOf, present, urlOf);
  const planned: PlannedWebhook[] = (prune ? excess : []).map(({ uniqueId, url }) => {
    const will = change('delete', 'webhook', url);
    return { will, run: async (inside) => (await removeWebhook(inside, uniqueId), will) };
  });
  for (const { one, row, index } of pairs) {
    await services.requirePublicUrl(`webhooks.${index}.url`, one.url);
    if (row === undefined) {
      requireEncryption(services);
      const will = change('create', 'webhook', one.url);
      planned.push({ will, run: async (inside) => ({ ...will, secret: (await createWebhook(inside, one)).secret }) });
      continue;
    }
    const fields = (['events', 'description'] as const).filter(
      (field) => one[field] !== undefined && !isEqual(one[field], row[field]),
    );
    if (fields.length === 0) continue;
    const { events, description } = one;
    const will = change('update', 'webhook', row.url, { fields });
    const changes = { webhook: row.uniqueId, events, description };
    planned.push({ will, run: async (inside) => (await changeWebhook(inside, changes), will) });
  }
  const count = (action: Change['action']) => planned.filter(({ will }) => will.action === action).length;
  if (items.length - count('delete') + count('create') > MAX_WEBHOOKS)
    throw new ApiError('unprocessable', `webhooks: a company has at most ${MAX_WEBHOOKS} endpoints`);
  return planned;
}
