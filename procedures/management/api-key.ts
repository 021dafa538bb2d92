import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { ApiKey } from '../../entities/api-key/api-key.ts';
import type { Session } from '../../database/session.ts';
import { Framework } from '../../entities/framework.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { keyPreview, generateRawKey, hashRawKey } from '../../entities/api-key/raw-key.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { User } from '../../entities/user.ts';
import {
  ApiKeyOutput,
  ApiKeySecretOutput,
  ApiKeySettings,
  NewApiKey,
  ApiKeyId,
  ApiKeyRotation,
  toApiKeyOutput,
} from '../api-key/schemas.ts';
import { noInput } from '../schemas/fields.ts';
import { adminProcedure, router } from '../core/trpc.ts';
import { FOR_UPDATE } from './reference-data.ts';

/** API keys and their life. Contract, sections 5 and 7. */
export const apiKey = router({
  create: adminProcedure
    .meta({ description: 'Create an API key and its integration user; shows the key once' })
    .input(NewApiKey)
    .output(ApiKeySecretOutput)
    .mutation(({ ctx: { session }, input: { name, expiresAt, ...restrictions } }) =>
      session.inUnitOfWork(async (em) => {
        await requireFrameworks(em, restrictions.frameworks);
        const { company } = session.principal;
        const key = generateRawKey();
        const user = em.create(User, { company, uniqueId: newUniqueId(), kind: 'integration', name });
        const hash = Buffer.from(hashRawKey(key), 'hex');
        const fields = { company, user, name, uniqueId: newUniqueId(), expiresAt: toDateOrNull(expiresAt), hash };
        const record = em.create(ApiKey, { ...fields, ...keyPreview(key), ...omitUndefined(restrictions) });
        await em.flush();
        return { ...toApiKeyOutput(record), key };
      }),
    ),

  list: adminProcedure
    .meta({ description: 'List the API keys, revoked ones too' })
    .input(noInput)
    .output(z.array(ApiKeyOutput))
    .query(({ ctx }) =>
      ctx.session.inUnitOfWork(async (em) => {
        const keys = await em.find(ApiKey, {}, { populate: ['user'], orderBy: { uniqueId: 'asc' } });
        return keys.map(toApiKeyOutput);
      }),
    ),

  get: adminProcedure
    .meta({ description: 'Show an API key' })
    .input(ApiKeyId)
    .output(ApiKeyOutput)
    .query(({ ctx, input }) =>
      ctx.session.inUnitOfWork(async (em) => toApiKeyOutput(await loadApiKey(em, input.uniqueId))),
    ),

  update: adminProcedure
    .meta({ description: 'Rename, narrow, widen, enable or disable an API key, or set when it expires' })
    .input(ApiKeySettings)
    .output(ApiKeyOutput)
    .mutation(({ ctx, input: { uniqueId, name, enabled, expiresAt, ...restrictions } }) =>
      updateLockedKey(ctx.session, uniqueId, async (key, em) => {
        requireNotRevoked(key);
        await requireFrameworks(em, restrictions.frameworks);
        key.name = key.user.name = name ?? key.name;
        key.enabled = enabled ?? key.enabled;
        if (expiresAt !== undefined) key.expiresAt = toDateOrNull(expiresAt);
        em.assign(key, omitUndefined(restrictions));
        return toApiKeyOutput(key);
      }),
    ),

  rotate: adminProcedure
    .meta({ description: 'Give an API key a new secret, shown once; the old one works on for the overlap' })
    .input(ApiKeyRotation)
    .output(ApiKeySecretOutput)
    .mutation(({ ctx, input: { uniqueId, overlapSeconds } }) =>
      updateLockedKey(ctx.session, uniqueId, async (record) => {
        requireNotRevoked(record);
        const key = generateRawKey();
        // Kept without an overlap, too: a report that it leaked is still a report of this key.
        record.previousHash = record.hash;
        record.previousHashExpiresAt = new Date(Date.now() + overlapSeconds * 1000);
        record.hash = Buffer.from(hashRawKey(key), 'hex');
        Object.assign(record, keyPreview(key));
        return { ...toApiKeyOutput(record), key };
      }),
    ),

  revoke: adminProcedure
    .meta({ description: 'Revoke an API key for good' })
    .input(ApiKeyId)
    .output(ApiKeyOutput)
    .mutation(({ ctx, input }) =>
      updateLockedKey(ctx.session, input.uniqueId, async (key) => {
        key.revokedAt ??= new Date();
        return toApiKeyOutput(key);
      }),
    ),
});

const toDateOrNull = (text: string | null | undefined) => (text ? new Date(text) : null);

/** The wishes that were sent. What was not keeps its value, and has its default in a new key. */
function omitUndefined<T extends object>(settings: T): { [Field in keyof T]: Exclude<T[Field], undefined> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is undefined was filtered out
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as never;
}

function requireNotRevoked({ revokedAt }: ApiKey): void {
  if (revokedAt) throw new ApiError('conflict', 'uniqueId: the key is revoked, which is final');
}

/** @throws Refusal 422 where a framework is not the company's. */
async function requireFrameworks(
  em: SqlEntityManager,
  frameworks: readonly number[] | null | undefined,
): Promise<void> {
  if (!frameworks || (await em.count(Framework, { id: { $in: [...frameworks] } })) === frameworks.length) return;
  throw new ApiError('unprocessable', 'frameworks: not all are frameworks of this company');
}

async function loadApiKey(em: SqlEntityManager, id: string, options: object = {}): Promise<ApiKey> {
  const key = isUniqueId(id) ? await em.findOne(ApiKey, { uniqueId: id }, options) : null;
  if (key === null) throw notFound('apiKey');
  await em.populate(key, ['user']);
  return key;
}

/** Has the key to itself for a change, which takes effect in this process with the commit. */
async function updateLockedKey<T>(
  session: Session,
  id: string,
  update: (key: ApiKey, em: SqlEntityManager) => Promise<T>,
): Promise<T> {
  const result = await session.inUnitOfWork((unit) =>
    unit.transactional(async (em) => update(await loadApiKey(em, id, FOR_UPDATE), em)),
  );
  session.invalidateApiKeys();
  return result;
}
