import { z } from 'zod';
import { MAX_LEAKED_URL_LENGTH } from '../../entities/api-key/api-key.ts';
import type { ApiKey } from '../../entities/api-key/api-key.ts';
import { USAGE_DAYS } from '../../entities/api-key/usage.ts';
import { DEFAULT_SCOPES, SCOPES } from '../../entities/api-key/scope.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import {
  ActorOutput,
  EXAMPLE_IDS,
  booleanInput,
  createdAtOutput,
  enumInput,
  expected,
  futureTimestampInput,
  idOutput,
  integerInput,
  integerOutput,
  isoOrNull,
  maxLength,
  minLength,
  nameInput,
  textOutput,
  timestampOutput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { MAX_LIST_ITEMS, frameworksInput } from '../schemas/frameworks.ts';
import { timeZoneOutput } from '../schemas/time-zone.ts';
import { unknownFields } from '../schemas/unknown-fields.ts';

const MAX_OVERLAP_SECONDS = 30 * 86_400;
const EXPECTED_CIDR = 'an address range such as 192.0.2.0/24 or 2001:db8::/32';

const unique = <T>(values: T[]) => [...new Set(values)];

const ENABLED = 'False rejects the key until it is enabled again';

const settingFields = {
  name: nameInput('Name of the key and of its integration user'),
  scopes: z
    .array(enumInput(SCOPES), expected('an array of scopes'))
    .check(minLength(1, 'expected at least one scope'))
    .overwrite((scopes) => SCOPES.filter((scope) => scopes.includes(scope)))
    .meta({ description: 'Permissions of the key' }),
  frameworks: frameworksInput('Frameworks that the key may access; null for all'),
  cidrs: z
    .array(z.union([z.cidrv4(), z.cidrv6()], expected(EXPECTED_CIDR)), expected('an array of address ranges, or null'))
    .check(minLength(1, 'expected at least one range, or null for all'))
    .check(maxLength(MAX_LIST_ITEMS, `expected at most ${MAX_LIST_ITEMS} ranges`))
    .overwrite((cidrs) => unique(cidrs).toSorted())
    .nullable()
    .meta({ description: 'Address ranges from which the key may be used; null for all' }),
  enabled: booleanInput.meta({ description: ENABLED }),
  expiresAt: futureTimestampInput.nullable().meta({ description: 'Expiry of the key; null if it does not expire' }),
};

export const ApiKeyId = z.strictObject({ uniqueId: uniqueIdInput('uniqueId of the key', EXAMPLE_IDS.key) });

const shown = () => ({ shown: ApiKeyOutput.shape });

export const NewApiKey = z.strictObject(
  {
    name: settingFields.name,
    scopes: settingFields.scopes.optional(),
    frameworks: settingFields.frameworks.optional(),
    cidrs: settingFields.cidrs.optional(),
    expiresAt: settingFields.expiresAt.optional(),
  },
  unknownFields(() => ({ ...shown(), elsewhere: { enabled: 'a new key is enabled; its update sets it' } })),
);

export const ApiKeySettings = z.strictObject(
  { ...ApiKeyId.shape, ...z.object(settingFields).partial().shape },
  unknownFields(shown),
);

export const ApiKeyRotation = ApiKeyId.extend({
  overlapSeconds: integerInput(0, MAX_OVERLAP_SECONDS)
    .default(0)
    .meta({ description: 'Seconds for which the old secret stays valid' }),
});

const nullableTimestampOutput = (description: string) =>
  timestampOutput.nullable().meta({ description, examples: [null] });

/** Response for an API key, without the secret. */
export const ApiKeyOutput = z.object({
  uniqueId: uniqueIdOutput.meta({ examples: [EXAMPLE_IDS.key] }),
  name: textOutput(MAX_NAME_LENGTH, 'Ticket sync', 'Name of the key and of its integration user'),
  start: textOutput(16, 'svc_sk_live_7Hq2', 'First 16 characters of the key').meta({ pattern: '^[A-Za-z0-9_]+$' }),
  last4: textOutput(4, '3kZd', 'Its last 4 characters').meta({ pattern: '^[A-Za-z0-9]+$' }),
  user: ActorOutput.meta({ description: 'Integration user, under whose name the key makes changes' }),
  scopes: z
    .array(z.enum(SCOPES))
    .meta({ maxItems: SCOPES.length, description: 'Permissions of the key', examples: [DEFAULT_SCOPES] }),
  frameworks: z
    .array(idOutput)
    .meta({ maxItems: MAX_LIST_ITEMS })
    .nullable()
    .meta({ description: 'Frameworks that the key may access; null for all' }),
  cidrs: z
    .array(textOutput(43, '192.0.2.0/24').meta({ pattern: '^[0-9a-fA-F.:]+/[0-9]+$' }))
    .meta({ maxItems: MAX_LIST_ITEMS })
    .nullable()
    .meta({ description: 'Address ranges from which the key may be used; null for all' }),
  enabled: z.boolean().meta({ description: ENABLED }),
  expiresAt: nullableTimestampOutput('Expiry of the key; null if it does not expire'),
  revokedAt: nullableTimestampOutput('Time of revocation'),
  rotatedUntil: nullableTimestampOutput('End of validity of the secret before the last rotation'),
  leakedAt: nullableTimestampOutput('Time of the last report of the key at a new public URL'),
  leakedUrl: z
    .string()
    .nullable()
    .meta({
      description: 'URL of that report; null if it had none',
      maxLength: MAX_LEAKED_URL_LENGTH,
      examples: [null],
    }),
  lastUsedAt: timestampOutput
    .nullable()
    .meta({ description: 'Time of the last request with the key, truncated to the minute' }),
  createdAt: createdAtOutput,
});

/** Response to a key about itself. */
export const OwnApiKeyOutput = ApiKeyOutput.extend({ timeZone: timeZoneOutput }).meta({
  id: 'ApiKey',
  description: 'An API key, without its secret',
});

/** Response of creation and rotation, the only responses that contain a raw key. */
export const ApiKeySecretOutput = ApiKeyOutput.extend({
  key: z.string().meta({ description: 'The raw key. No later response contains it.' }),
}).meta({ id: 'ApiKeySecret' });

const requestCount = (description: string) => integerOutput(0, MAX_ID, description);

/** Requests of a key by day, oldest first. */
export const ApiKeyUsageOutput = z
  .array(
    z.object({
      day: textOutput(10, '2026-11-21', 'Day in UTC'),
      requests: requestCount('Requests with the key'),
      errors: requestCount('Responses with status 400 or higher, without those of the rate limit'),
      rateLimited: requestCount('Responses 429'),
    }),
  )
  .meta({ maxItems: USAGE_DAYS });

export const toApiKeyOutput = (key: ApiKey) => ({
  uniqueId: key.uniqueId,
  name: key.name,
  start: key.start,
  last4: key.last4,
  user: { uniqueId: key.user.uniqueId, name: key.user.name, kind: key.user.kind },
  scopes: key.scopes,
  frameworks: key.frameworks ?? null,
  cidrs: key.cidrs ?? null,
  enabled: key.enabled,
  expiresAt: isoOrNull(key.expiresAt),
  revokedAt: isoOrNull(key.revokedAt),
  rotatedUntil: isoOrNull(key.previousHashExpiresAt),
  leakedAt: isoOrNull(key.leakedAt),
  leakedUrl: key.leakedUrl ?? null,
  lastUsedAt: isoOrNull(key.lastUsedAt),
  createdAt: key.createdAt.toISOString(),
});
