import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { ApiKey } from '../../entities/api-key.ts';
import type { Session } from '../../entities/database/session.ts';
import { Framework } from '../../entities/framework.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { displayParts, generateRawKey, hashRawKey } from '../../entities/raw-key.ts';
import { Refusal, notFound } from '../../entities/refusal.ts';
import { User } from '../../entities/user.ts';
import { KeyObject, KeySecret, KeyWishes, NewKey, OneKey, Rotation, toKey } from '../api-key-shapes.ts';
import { nothing } from '../shapes.ts';
import { adminProcedure, router } from '../trpc.ts';
import { LOCKED } from './reference-data.ts';

/** API keys and their life. Contract, sections 5 and 7. */
export const apiKey = router({
  create: adminProcedure
    .meta({ description: 'Create an API key and its integration user; shows the key once' })
    .input(NewKey)
    .output(KeySecret)
    .mutation(({ ctx: { session }, input: { name, expiresAt, ...rights } }) =>
      session.inUnitOfWork(async (em) => {
        await requireFrameworks(em, rights.frameworks);
        const { company } = session.principal;
        const key = generateRawKey();
        const user = em.create(User, { company, uniqueId: newUniqueId(), kind: 'integration', name });
        const hash = Buffer.from(hashRawKey(key), 'hex');
        const made = { company, user, name, uniqueId: newUniqueId(), expiresAt: dateOrNull(expiresAt), hash };
        const record = em.create(ApiKey, { ...made, ...displayParts(key), ...given(rights) });
        await em.flush();
        return { ...toKey(record), key };
      }),
    ),

  list: adminProcedure
    .meta({ description: 'List the API keys, revoked ones too' })
    .input(nothing)
    .output(z.array(KeyObject))
    .query(({ ctx }) =>
      ctx.session.inUnitOfWork(async (em) => {
        const keys = await em.find(ApiKey, {}, { populate: ['user'], orderBy: { uniqueId: 'asc' } });
        return keys.map(toKey);
      }),
    ),

  get: adminProcedure
    .meta({ description: 'Show an API key' })
    .input(OneKey)
    .output(KeyObject)
    .query(({ ctx, input }) => ctx.session.inUnitOfWork(async (em) => toKey(await load(em, input.uniqueId)))),

  update: adminProcedure
    .meta({ description: 'Rename, narrow, widen, enable or disable an API key, or set when it expires' })
    .input(KeyWishes)
    .output(KeyObject)
    .mutation(({ ctx, input: { uniqueId, name, enabled, expiresAt, ...rights } }) =>
      change(ctx.session, uniqueId, async (key, em) => {
        refuseRevoked(key);
        await requireFrameworks(em, rights.frameworks);
        key.name = key.user.name = name ?? key.name;
        key.enabled = enabled ?? key.enabled;
        if (expiresAt !== undefined) key.expiresAt = dateOrNull(expiresAt);
        em.assign(key, given(rights));
        return toKey(key);
      }),
    ),

  rotate: adminProcedure
    .meta({ description: 'Give an API key a new secret, shown once; the old one works on for the overlap' })
    .input(Rotation)
    .output(KeySecret)
    .mutation(({ ctx, input: { uniqueId, overlapSeconds } }) =>
      change(ctx.session, uniqueId, async (record) => {
        refuseRevoked(record);
        const key = generateRawKey();
        // Kept without an overlap, too: a report that it leaked is still a report of this key.
        record.previousHash = record.hash;
        record.previousUntil = new Date(Date.now() + overlapSeconds * 1000);
        record.hash = Buffer.from(hashRawKey(key), 'hex');
        Object.assign(record, displayParts(key));
        return { ...toKey(record), key };
      }),
    ),

  revoke: adminProcedure
    .meta({ description: 'Revoke an API key for good' })
    .input(OneKey)
    .output(KeyObject)
    .mutation(({ ctx, input }) =>
      change(ctx.session, input.uniqueId, async (key) => {
        key.revokedAt ??= new Date();
        return toKey(key);
      }),
    ),
});

const dateOrNull = (text: string | null | undefined) => (text ? new Date(text) : null);

/** The wishes that were sent. What was not keeps its value, and has its default in a new key. */
function given<T extends object>(wishes: T): { [Field in keyof T]: Exclude<T[Field], undefined> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is undefined was filtered out
  return Object.fromEntries(Object.entries(wishes).filter(([, value]) => value !== undefined)) as never;
}

function refuseRevoked({ revokedAt }: ApiKey): void {
  if (revokedAt) throw new Refusal('conflict', 'uniqueId: the key is revoked, which is final');
}

/** @throws Refusal 422 where a framework is not the company's. */
async function requireFrameworks(
  em: SqlEntityManager,
  frameworks: readonly number[] | null | undefined,
): Promise<void> {
  if (!frameworks || (await em.count(Framework, { id: { $in: [...frameworks] } })) === frameworks.length) return;
  throw new Refusal('unprocessable', 'frameworks: not all are frameworks of this company');
}

async function load(em: SqlEntityManager, id: string, options: object = {}): Promise<ApiKey> {
  const key = isUniqueId(id) ? await em.findOne(ApiKey, { uniqueId: id }, options) : null;
  if (key === null) throw notFound('apiKey');
  await em.populate(key, ['user']);
  return key;
}

/** Has the key to itself for a change, which takes effect in this process with the commit. */
async function change<T>(
  session: Session,
  id: string,
  apply: (key: ApiKey, em: SqlEntityManager) => Promise<T>,
): Promise<T> {
  const answer = await session.inUnitOfWork((unit) =>
    unit.transactional(async (em) => apply(await load(em, id, LOCKED), em)),
  );
  session.keysChanged();
  return answer;
}
