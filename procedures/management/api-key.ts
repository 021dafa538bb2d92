import { z } from 'zod';
import { ApiKey } from '../../entities/api-key.ts';
import type { Session } from '../../entities/database/session.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { displayParts, generateRawKey, hashRawKey } from '../../entities/raw-key.ts';
import { Refusal, notFound } from '../../entities/refusal.ts';
import { User } from '../../entities/user.ts';
import { ActorObject, expects, futureMoment, givenUniqueId, isoOrNull, moment, name, uniqueId } from '../shapes.ts';
import { adminProcedure, router } from '../trpc.ts';

const KeyObject = z.object({
  uniqueId: givenUniqueId,
  name: z.string(),
  start: z.string().meta({ description: 'First 16 characters of the key' }),
  last4: z.string(),
  user: ActorObject,
  enabled: z.boolean(),
  expiresAt: moment.nullable(),
  revokedAt: moment.nullable(),
  leakedAt: moment.nullable().meta({ description: 'When the key was last reported at a new place in public' }),
  leakedUrl: z.string().nullable().meta({ description: 'That place; null where none was named' }),
  createdAt: moment,
});

const OneKey = z.strictObject({ uniqueId: uniqueId('uniqueId of the key') });
const keyName = name('Name of the key and of its integration user');
const expiresAt = futureMoment
  .nullable()
  .meta({ description: 'Moment from which the key no longer works; null for never' });

const toKey = ({ uniqueId: id, name: called, start, last4, user, enabled, ...key }: ApiKey) => ({
  uniqueId: id,
  name: called,
  start,
  last4,
  user: { uniqueId: user.uniqueId, name: user.name, kind: user.kind },
  enabled,
  expiresAt: isoOrNull(key.expiresAt),
  revokedAt: isoOrNull(key.revokedAt),
  leakedAt: isoOrNull(key.leakedAt),
  leakedUrl: key.leakedUrl ?? null,
  createdAt: key.createdAt.toISOString(),
});

/** API keys and their life. Contract, sections 5 and 7. */
export const apiKey = router({
  create: adminProcedure
    .meta({ description: 'Create an API key and its integration user; shows the key once' })
    .input(z.strictObject({ name: keyName, expiresAt: expiresAt.optional() }))
    .output(KeyObject.extend({ key: z.string().meta({ description: 'The raw key. It is shown only here.' }) }))
    .mutation(async ({ ctx, input }) => {
      const em = ctx.session.unitOfWork();
      const { company } = ctx.session.principal;
      const key = generateRawKey();
      const user = em.create(User, { company, uniqueId: newUniqueId(), kind: 'integration', name: input.name });
      const record = em.create(ApiKey, {
        company,
        user,
        uniqueId: newUniqueId(),
        name: input.name,
        expiresAt: dateOrNull(input.expiresAt),
        hash: hashRawKey(key),
        ...displayParts(key),
      });
      await em.flush();
      return { ...toKey(record), key };
    }),

  list: adminProcedure
    .meta({ description: 'List the API keys, revoked ones too' })
    .output(z.array(KeyObject))
    .query(async ({ ctx }) => {
      const em = ctx.session.unitOfWork();
      const keys = await em.find(ApiKey, {}, { populate: ['user'], orderBy: { uniqueId: 'asc' } });
      return keys.map(toKey);
    }),

  get: adminProcedure
    .meta({ description: 'Show an API key' })
    .input(OneKey)
    .output(KeyObject)
    .query(async ({ ctx, input }) => toKey((await load(ctx.session, input.uniqueId)).key)),

  update: adminProcedure
    .meta({ description: 'Rename, enable or disable an API key, or set when it expires' })
    .input(
      OneKey.extend({
        name: keyName.optional(),
        enabled: z.boolean(expects('true or false')).optional(),
        expiresAt: expiresAt.optional(),
      }),
    )
    .output(KeyObject)
    .mutation(async ({ ctx, input }) => {
      const { em, key } = await load(ctx.session, input.uniqueId);
      if (key.revokedAt) throw new Refusal('conflict', 'uniqueId: the key is revoked, which is final');
      key.name = key.user.name = input.name ?? key.name;
      key.enabled = input.enabled ?? key.enabled;
      if (input.expiresAt !== undefined) key.expiresAt = dateOrNull(input.expiresAt);
      await em.flush();
      return toKey(key);
    }),

  revoke: adminProcedure
    .meta({ description: 'Revoke an API key for good' })
    .input(OneKey)
    .output(KeyObject)
    .mutation(async ({ ctx, input }) => {
      const { em, key } = await load(ctx.session, input.uniqueId);
      key.revokedAt ??= new Date();
      await em.flush();
      return toKey(key);
    }),
});

const dateOrNull = (text: string | null | undefined) => (text ? new Date(text) : null);

async function load(session: Session, id: string) {
  const em = session.unitOfWork();
  const key = isUniqueId(id) ? await em.findOne(ApiKey, { uniqueId: id }, { populate: ['user'] }) : null;
  if (key === null) throw notFound('apiKey');
  return { em, key };
}
