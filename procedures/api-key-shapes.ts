import { z } from 'zod';
import type { ApiKey } from '../entities/api-key.ts';
import { SCOPES } from '../entities/scope.ts';
import { LEAKED_URL_LENGTH } from '../entities/api-key.ts';
import { NAME_LENGTH } from '../entities/company.ts';
import { givenId, givenText } from './answer-shapes.ts';
import {
  ActorObject,
  EXAMPLE,
  bodyId,
  expects,
  futureMoment,
  givenUniqueId,
  isoOrNull,
  maxLength,
  minLength,
  moment,
  name,
  uniqueId,
} from './shapes.ts';

const MOST = 100;
const DAY = 86_400;
const OVERLAP_DAYS = 30;
const OVERLAP = `an integer from 0 to ${OVERLAP_DAYS * DAY}`;
const CIDR = 'a range of addresses such as 192.0.2.0/24 or 2001:db8::/32';

const unique = <T>(values: T[]) => [...new Set(values)];

const fields = {
  name: name('Name of the key and of its integration user'),
  scopes: z
    .array(z.enum(SCOPES, expects(`one of ${SCOPES.join(', ')}`)), expects('an array of scopes'))
    .check(minLength(1, 'expected at least one scope'))
    .overwrite((given) => SCOPES.filter((scope) => given.includes(scope)))
    .meta({ description: 'What the key may do' }),
  frameworks: z
    .array(bodyId('A framework of the company'), expects('an array of integers, or null'))
    .check(minLength(1, 'expected at least one framework, or null for all'))
    .check(maxLength(MOST, `expected at most ${MOST} frameworks`))
    .overwrite((given) => unique(given).toSorted((one, other) => one - other))
    .nullable()
    .meta({ description: 'The only frameworks it may touch; null for all' }),
  cidrs: z
    .array(z.union([z.cidrv4(), z.cidrv6()], expects(CIDR)), expects('an array of address ranges, or null'))
    .check(minLength(1, 'expected at least one range, or null for all'))
    .check(maxLength(MOST, `expected at most ${MOST} ranges`))
    .overwrite((given) => unique(given).toSorted())
    .nullable()
    .meta({ description: 'The only addresses it may be used from; null for all' }),
  enabled: z.boolean(expects('true or false')),
  expiresAt: futureMoment.nullable().meta({ description: 'Moment from which the key no longer works; null for never' }),
};

export const OneKey = z.strictObject({ uniqueId: uniqueId('uniqueId of the key', EXAMPLE.key) });

export const NewKey = z.strictObject({
  name: fields.name,
  scopes: fields.scopes.optional(),
  frameworks: fields.frameworks.optional(),
  cidrs: fields.cidrs.optional(),
  expiresAt: fields.expiresAt.optional(),
});

export const KeyWishes = OneKey.extend(z.strictObject(fields).partial().shape);

export const Rotation = OneKey.extend({
  overlapSeconds: z
    .int(expects(OVERLAP))
    .min(0, expects(OVERLAP))
    .max(OVERLAP_DAYS * DAY, expects(OVERLAP))
    .default(0)
    .meta({ description: 'Seconds for which the old secret works on' }),
});

const maybe = (what: string) => moment.nullable().meta({ description: what, examples: [null] });

/** The record of a key, with nothing secret. */
export const KeyObject = z
  .object({
    uniqueId: givenUniqueId.meta({ examples: [EXAMPLE.key] }),
    name: givenText(NAME_LENGTH, 'Ticket sync'),
    start: givenText(16, 'svc_sk_live_7Hq2', 'First 16 characters of the key'),
    last4: givenText(4, '3kZd', 'Its last 4 characters'),
    user: ActorObject,
    scopes: z.array(z.enum(SCOPES)).meta({ maxItems: SCOPES.length, examples: [SCOPES] }),
    frameworks: z
      .array(givenId)
      .meta({ maxItems: MOST })
      .nullable()
      .meta({ description: 'The only frameworks it may touch; null for all' }),
    cidrs: z
      .array(givenText(43, '192.0.2.0/24'))
      .meta({ maxItems: MOST })
      .nullable()
      .meta({ description: 'The only addresses it may be used from; null for all' }),
    enabled: z.boolean(),
    expiresAt: maybe('Moment from which the key no longer works; null for never'),
    revokedAt: maybe('Since when it is revoked'),
    rotatedUntil: maybe('Until when the secret before the last rotation works'),
    leakedAt: maybe('When the key was last reported at a new place in public'),
    leakedUrl: z
      .string()
      .nullable()
      .meta({ description: 'That place; null where none was named', maxLength: LEAKED_URL_LENGTH, examples: [null] }),
    lastUsedAt: moment.nullable().meta({ description: 'To the minute' }),
    createdAt: moment,
  })
  .meta({ id: 'ApiKey' });

/** What creation and rotation answer: the only place where a raw key is shown. */
export const KeySecret = KeyObject.extend({
  key: z.string().meta({ description: 'The raw key. It is not shown again.' }),
}).meta({ id: 'ApiKeySecret' });

export const toKey = ({ uniqueId: id, name: called, start, last4, user, scopes, enabled, ...key }: ApiKey) => ({
  uniqueId: id,
  name: called,
  start,
  last4,
  user: { uniqueId: user.uniqueId, name: user.name, kind: user.kind },
  scopes,
  frameworks: key.frameworks ?? null,
  cidrs: key.cidrs ?? null,
  enabled,
  expiresAt: isoOrNull(key.expiresAt),
  revokedAt: isoOrNull(key.revokedAt),
  rotatedUntil: isoOrNull(key.previousUntil),
  leakedAt: isoOrNull(key.leakedAt),
  leakedUrl: key.leakedUrl ?? null,
  lastUsedAt: isoOrNull(key.lastUsedAt),
  createdAt: key.createdAt.toISOString(),
});
