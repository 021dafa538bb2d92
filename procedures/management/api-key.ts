import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { ApiKey, MAX_KEYS } from '../../entities/api-key/api-key.ts';
import { generateRawKey, hashRawKey, keyPreview } from '../../entities/api-key/raw-key.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import { Framework } from '../../entities/reference-data/reference-data.ts';
import type { Principal } from '../../entities/principal.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { findApiKeyById } from '../../entities/api-key/statements.ts';
import { keyUsage } from '../../entities/api-key/usage.ts';
import { Company } from '../../entities/company/company.ts';
import { User } from '../../entities/company/user.ts';
import { RequestPage, listRequests } from '../api-key/router.ts';
import {
  ApiKeyId,
  ApiKeyOutput,
  ApiKeyRotation,
  ApiKeySecretOutput,
  ApiKeySettings,
  ApiKeyUsageOutput,
  NewApiKey,
  toApiKeyOutput,
} from '../api-key/schemas.ts';
import { managementProcedure, router } from '../core/trpc.ts';
import { pagination } from '../schemas/pagination.ts';
import { FOR_UPDATE } from './reference-data.ts';

/** Lifecycle of API keys. See docs/contract.md, sections 5 and 7. */
export const apiKey = router({
  create: managementProcedure('management:write')
    .meta({ description: 'Create an API key and its integration user; the key is shown only once' })
    .input(NewApiKey)
    .output(ApiKeySecretOutput)
    .mutation(({ ctx: { session }, input: { name, expiresAt, ...restrictions } }) =>
      session.inUnitOfWork((unit) =>
        unit.transactional(async (em) => {
          await requireFrameworks(em, restrictions.frameworks);
          await lockKeys(em, session.principal);
          if ((await em.count(ApiKey, { revokedAt: null })) >= MAX_KEYS) throw tooManyKeys('apiKey');
          const { record, key } = insertKey(em, session.principal, {
            name,
            expiresAt: toDateOrNull(expiresAt),
            ...restrictions,
          });
          await em.flush();
          return { ...toApiKeyOutput(record), key };
        }),
      ),
    ),

  list: managementProcedure('management:read')
    .meta({ description: 'List the API keys, including revoked keys' })
    .input(noInput)
    .output(z.array(ApiKeyOutput))
    .query(({ ctx }) =>
      ctx.session.inUnitOfWork(async (em) => {
        const keys = await em.find(ApiKey, {}, { populate: ['user'], orderBy: { uniqueId: 'asc' } });
        return keys.map(toApiKeyOutput);
      }),
    ),

  get: managementProcedure('management:read')
    .meta({ description: 'Show an API key' })
    .input(ApiKeyId)
    .output(ApiKeyOutput)
    .query(({ ctx, input }) =>
      ctx.session.inUnitOfWork(async (em) => toApiKeyOutput(await loadApiKey(em, input.uniqueId))),
    ),

  usage: managementProcedure('management:read')
    .meta({ description: 'Show the requests of an API key on each of the last 30 days, in UTC' })
    .input(ApiKeyId)
    .output(ApiKeyUsageOutput)
    .query(async ({ ctx: { session }, input: { uniqueId } }) => {
      const days = isUniqueId(uniqueId) ? await session.run(keyUsage, { uniqueId }) : [];
      if (days.length === 0) throw notFound('apiKey');
      return days.map(({ day, requests, errors, rate_limited: rateLimited }) => ({
        day,
        requests,
        errors,
        rateLimited,
      }));
    }),

  requests: managementProcedure('management:read')
    .meta({ description: 'List the last requests with an API key, newest first' })
    .input(ApiKeyId.extend(pagination))
    .output(RequestPage)
    .query(async ({ ctx: { session }, input: { uniqueId, ...request } }) => {
      if (!isUniqueId(uniqueId) || (await session.first(findApiKeyById, { uniqueId })) === undefined)
        throw notFound('apiKey');
      return listRequests(session, uniqueId, request);
    }),

  update: managementProcedure('management:write')
    .meta({ description: 'Change the name, permissions, expiry or status of an API key' })
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

  rotate: managementProcedure('management:write')
    .meta({ description: 'Give an API key a new secret, shown only once; the old secret stays valid for the overlap' })
    .input(ApiKeyRotation)
    .output(ApiKeySecretOutput)
    .mutation(({ ctx, input: { uniqueId, overlapSeconds } }) =>
      updateLockedKey(ctx.session, uniqueId, async (record) => {
        requireNotRevoked(record);
        const key = generateRawKey();
        // Stored even without an overlap, because a leak report of the old secret still concerns this key.
        record.previousHash = record.hash;
        record.previousHashExpiresAt = new Date(Date.now() + overlapSeconds * 1000);
        record.hash = Buffer.from(hashRawKey(key), 'hex');
        Object.assign(record, keyPreview(key));
        return { ...toApiKeyOutput(record), key };
      }),
    ),

  revoke: managementProcedure('management:write')
    .meta({ description: 'Revoke an API key permanently' })
    .input(ApiKeyId)
    .output(ApiKeyOutput)
    .mutation(({ ctx, input }) =>
      updateLockedKey(ctx.session, input.uniqueId, async (key) => {
        key.revokedAt ??= new Date();
        return toApiKeyOutput(key);
      }),
    ),
});

/** Makes the creations of keys of a company wait for each other until the end of the transaction. */
export const lockKeys = (em: SqlEntityManager, { company }: Principal) =>
  em.findOne(Company, { id: company }, FOR_UPDATE);

/** @param field of the input that would make one key too many */
export const tooManyKeys = (field: string) =>
  new ApiError('unprocessable', `${field}: a company has at most ${MAX_KEYS} keys that are not revoked; revoke one`);

/**
 * A new key with its integration user, which the next flush inserts. Fields that are undefined get their defaults.
 * @param key raw key, by default a random one
 */
export function insertKey(
  em: SqlEntityManager,
  { company }: Principal,
  { name, ...settings }: Pick<ApiKey, 'name'> & KeySettings,
  key = generateRawKey(),
): { record: ApiKey; key: string } {
  const user = em.create(User, { company, uniqueId: newUniqueId(), kind: 'integration', name });
  const fields = { company, user, name, uniqueId: newUniqueId(), hash: Buffer.from(hashRawKey(key), 'hex') };
  return { record: em.create(ApiKey, { ...fields, ...keyPreview(key), ...omitUndefined(settings) }), key };
}

interface KeySettings {
  scopes?: ApiKey['scopes'] | undefined;
  frameworks?: number[] | null | undefined;
  cidrs?: string[] | null | undefined;
  expiresAt?: Date | null | undefined;
}

const toDateOrNull = (text: string | null | undefined) => (text ? new Date(text) : null);

/** Omits undefined settings: an existing key keeps its values, and a new key gets the defaults. */
function omitUndefined<T extends object>(settings: T): { [Field in keyof T]: Exclude<T[Field], undefined> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undefined values are filtered out
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as never;
}

function requireNotRevoked({ revokedAt }: ApiKey): void {
  if (revokedAt) throw new ApiError('conflict', 'uniqueId: the key is permanently revoked');
}

/** @throws ApiError `unprocessable` if a framework does not belong to the company */
async function requireFrameworks(
  em: SqlEntityManager,
  frameworks: readonly number[] | null | undefined,
): Promise<void> {
  if (!frameworks || (await em.count(Framework, { id: { $in: [...frameworks] } })) === frameworks.length) return;
  throw new ApiError('unprocessable', 'frameworks: expected frameworks of this company');
}

async function loadApiKey(em: SqlEntityManager, uniqueId: string, options: object = {}): Promise<ApiKey> {
  const key = isUniqueId(uniqueId) ? await em.findOne(ApiKey, { uniqueId }, options) : null;
  if (key === null) throw notFound('apiKey');
  await em.populate(key, ['user']);
  return key;
}

/** Locks a key, updates it in a transaction, and invalidates the cached API keys of this process after the commit. */
async function updateLockedKey<T>(
  session: Session,
  uniqueId: string,
  update: (key: ApiKey, em: SqlEntityManager) => Promise<T>,
): Promise<T> {
  const result = await session.inUnitOfWork((unit) =>
    unit.transactional(async (em) => update(await loadApiKey(em, uniqueId, FOR_UPDATE), em)),
  );
  session.invalidateApiKeys();
  return result;
}
