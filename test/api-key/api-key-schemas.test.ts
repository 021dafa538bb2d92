import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { DEFAULT_SCOPES, SCOPES } from '../../entities/api-key/scope.ts';
import {
  ApiKeyId,
  ApiKeyOutput,
  ApiKeyRotation,
  ApiKeySecretOutput,
  ApiKeySettings,
  OwnApiKeyOutput,
  NewApiKey,
  toApiKeyOutput,
} from '../../procedures/api-key/schemas.ts';

// Input and output schemas of API keys.

const KEY_ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-21T12:00:00Z'), toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const issuesOf = (schema: z.ZodType, input: unknown) =>
  schema.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
/** Issues of a field, which must be the same on creation and on update. */
const fieldIssues = (field: string, value: unknown) => {
  const onCreate = issuesOf(NewApiKey, { name: 'Sync', [field]: value });
  const onUpdate = issuesOf(ApiKeySettings, { uniqueId: KEY_ID, [field]: value });
  expect(onUpdate).toEqual(onCreate);
  return onCreate;
};
const parseNewKey = (fields: object) => NewApiKey.parse({ name: 'Sync', ...fields });

test('a new key requires only a name, and does not accept enabled', () => {
  expect(NewApiKey.parse({ name: ' Sync ' })).toEqual({ name: 'Sync' });
  expect(issuesOf(NewApiKey, {})).toEqual(['name: required']);
  expect(issuesOf(NewApiKey, { name: 'Sync', enabled: true })).toEqual([
    ': unknown field; a new key is enabled; its update sets it',
  ]);
  expect(issuesOf(NewApiKey, { name: 'Sync', company: 8 })).toEqual([': unknown field']);
});

test('an update requires the id of the key, and has no defaults', () => {
  expect(ApiKeySettings.parse({ uniqueId: KEY_ID })).toEqual({ uniqueId: KEY_ID });
  expect(ApiKeySettings.parse({ uniqueId: KEY_ID, enabled: false })).toEqual({ uniqueId: KEY_ID, enabled: false });
  expect(issuesOf(ApiKeySettings, { uniqueId: KEY_ID, enabled: 'no' })).toEqual(['enabled: expected true or false']);
  for (const schema of [ApiKeyId, ApiKeySettings, ApiKeyRotation]) {
    expect(issuesOf(schema, {})).toEqual(['uniqueId: required']);
    expect(issuesOf(schema, { uniqueId: KEY_ID, user: 'x' })).toEqual([expect.stringMatching(/^: unknown field/)]);
  }
});

describe('the input schema validates', () => {
  test('scopes', () => {
    expect(parseNewKey({ scopes: ['audit:read', 'task:read', 'audit:read'] }).scopes).toEqual([
      'task:read',
      'audit:read',
    ]);
    expect(fieldIssues('scopes', [])).toEqual(['scopes: expected at least one scope']);
    expect(fieldIssues('scopes', ['task:all'])).toEqual([`scopes.0: expected one of ${SCOPES.join(', ')}`]);
    for (const scopes of ['task:read', null])
      expect(fieldIssues('scopes', scopes)).toEqual(['scopes: expected an array of scopes']);
  });

  test('frameworks', () => {
    expect(parseNewKey({ frameworks: [10, 9, 10, 1] }).frameworks).toEqual([1, 9, 10]);
    expect(parseNewKey({ frameworks: null }).frameworks).toBeNull();
    expect(fieldIssues('frameworks', [])).toEqual(['frameworks: expected at least one framework, or null for all']);
    expect(fieldIssues('frameworks', [0])).toEqual(['frameworks.0: expected an integer from 1 to 2147483647']);
    expect(fieldIssues('frameworks', 1)).toEqual(['frameworks: expected an array of integers, or null']);
    const many = Array.from({ length: 101 }, (_, index) => index + 1);
    expect(parseNewKey({ frameworks: many.slice(1) }).frameworks).toHaveLength(100);
    expect(fieldIssues('frameworks', many)).toEqual(['frameworks: expected at most 100 frameworks']);
  });

  test('cidrs', () => {
    const cidrs = ['2001:db8::/32', '10.0.0.0/8', '2001:db8::/32', '0.0.0.0/0'];
    expect(parseNewKey({ cidrs }).cidrs).toEqual(['0.0.0.0/0', '10.0.0.0/8', '2001:db8::/32']);
    expect(parseNewKey({ cidrs: null }).cidrs).toBeNull();
    expect(fieldIssues('cidrs', [])).toEqual(['cidrs: expected at least one range, or null for all']);
    for (const range of ['10.0.0.1', '10.0.0.0/33', '2001:db8::/129', 'x', 1]) {
      expect(fieldIssues('cidrs', ['10.0.0.0/8', range])).toEqual([
        'cidrs.1: expected an address range such as 192.0.2.0/24 or 2001:db8::/32',
      ]);
    }
    expect(fieldIssues('cidrs', '10.0.0.0/8')).toEqual(['cidrs: expected an array of address ranges, or null']);
    const many = Array.from({ length: 101 }, (_, index) => `10.0.0.${index}/32`);
    expect(parseNewKey({ cidrs: many.slice(1) }).cidrs).toHaveLength(100);
    expect(fieldIssues('cidrs', many)).toEqual(['cidrs: expected at most 100 ranges']);
  });

  test('expiresAt', () => {
    expect(parseNewKey({ expiresAt: '2026-11-21T12:00:01Z' }).expiresAt).toBe('2026-11-21T12:00:01Z');
    expect(parseNewKey({ expiresAt: null }).expiresAt).toBeNull();
    expect(fieldIssues('expiresAt', '2026-11-21T12:00:00Z')).toEqual(['expiresAt: expected a timestamp in the future']);
  });

  test('overlapSeconds', () => {
    const month = 30 * 86_400;
    expect(ApiKeyRotation.parse({ uniqueId: KEY_ID }).overlapSeconds).toBe(0);
    for (const overlapSeconds of [0, 1, month])
      expect(issuesOf(ApiKeyRotation, { uniqueId: KEY_ID, overlapSeconds })).toBeUndefined();
    for (const overlapSeconds of [-1, month + 1, 1.5, '1', null]) {
      expect(issuesOf(ApiKeyRotation, { uniqueId: KEY_ID, overlapSeconds })).toEqual([
        'overlapSeconds: expected an integer from 0 to 2592000',
      ]);
    }
  });
});

describe('the response', () => {
  const dayAtNoon = (day: string) => new Date(`2026-11-${day}T12:00:00.000Z`);
  type Key = Parameters<typeof toApiKeyOutput>[0];
  const key = {
    uniqueId: KEY_ID,
    name: 'Sync',
    start: 'svc_sk_live_7Hq2',
    last4: '3kZd',
    user: {
      uniqueId: KEY_ID.replace('1', '2'),
      name: 'Sync',
      kind: 'integration',
      company: { id: 7 },
      createdAt: dayAtNoon('01'),
    },
    scopes: ['task:read'],
    enabled: true,
    createdAt: dayAtNoon('01'),
    hash: Buffer.alloc(32),
    previousHash: Buffer.alloc(32),
    company: { id: 7 },
  };
  const output = {
    uniqueId: KEY_ID,
    name: 'Sync',
    start: 'svc_sk_live_7Hq2',
    last4: '3kZd',
    user: { uniqueId: KEY_ID.replace('1', '2'), name: 'Sync', kind: 'integration' },
    scopes: ['task:read'],
    enabled: true,
    createdAt: '2026-11-01T12:00:00.000Z',
  };

  test('contains null for missing values', () => {
    const missing = {
      frameworks: null,
      cidrs: null,
      expiresAt: null,
      revokedAt: null,
      rotatedUntil: null,
      leakedAt: null,
      leakedUrl: null,
      lastUsedAt: null,
    };
    expect(toApiKeyOutput(key as unknown as Key)).toEqual({ ...output, ...missing });
    expect(ApiKeyOutput.strict().safeParse(toApiKeyOutput(key as unknown as Key)).success).toBe(true);
  });

  test('contains each timestamp, and no secret', () => {
    const optionalValues = {
      frameworks: [5],
      cidrs: ['10.0.0.0/8'],
      expiresAt: dayAtNoon('02'),
      revokedAt: dayAtNoon('03'),
      previousHashExpiresAt: dayAtNoon('04'),
      leakedAt: dayAtNoon('05'),
      leakedUrl: 'https://example.com',
      lastUsedAt: dayAtNoon('06'),
    };
    expect(toApiKeyOutput({ ...key, ...optionalValues } as unknown as Key)).toEqual({
      ...output,
      frameworks: [5],
      cidrs: ['10.0.0.0/8'],
      expiresAt: '2026-11-02T12:00:00.000Z',
      revokedAt: '2026-11-03T12:00:00.000Z',
      rotatedUntil: '2026-11-04T12:00:00.000Z',
      leakedAt: '2026-11-05T12:00:00.000Z',
      leakedUrl: 'https://example.com',
      lastUsedAt: '2026-11-06T12:00:00.000Z',
    });
  });

  test('contains a raw key only after creation and rotation', () => {
    expect(Object.keys(ApiKeyOutput.shape)).not.toContain('key');
    expect(Object.keys(ApiKeySecretOutput.shape)).toEqual([...Object.keys(ApiKeyOutput.shape), 'key']);
  });
});

describe('the OpenAPI document', () => {
  const documented = (schema: z.ZodType, name?: string) => {
    const { schema: inline, components } = createSchema(schema, { io: 'input' });
    return name === undefined ? inline : components[name];
  };
  const described = { description: expect.stringMatching(/\w{3}/) };

  test('contains the bounds and descriptions of input fields', () => {
    const range = (items: object) => ({
      anyOf: [{ minItems: 1, maxItems: 100, items }, { type: 'null' }],
      ...described,
    });
    expect(documented(ApiKeySettings)).toMatchObject({
      properties: {
        uniqueId: described,
        name: { maxLength: 255, ...described },
        scopes: { minItems: 1, items: { enum: SCOPES }, ...described },
        frameworks: range({ minimum: 1, ...described }),
        cidrs: range({}),
        expiresAt: described,
      },
      required: ['uniqueId'],
    });
    expect(documented(ApiKeyRotation)).toMatchObject({
      properties: { overlapSeconds: { maximum: 2_592_000, default: 0, ...described } },
    });
  });

  test('contains the bounds, examples and descriptions of response fields', () => {
    const example = { examples: [expect.stringMatching(/\w/)] };
    const nullable = { examples: [null], ...described };
    const properties = {
      name: { maxLength: 255, ...example },
      start: { maxLength: 16, ...example, ...described },
      last4: { maxLength: 4, ...example, ...described },
      scopes: { maxItems: SCOPES.length, examples: [DEFAULT_SCOPES] },
      frameworks: { anyOf: [{ maxItems: 100 }, { type: 'null' }] },
      cidrs: { anyOf: [{ maxItems: 100, items: { maxLength: 43, ...example } }, { type: 'null' }] },
      expiresAt: nullable,
      revokedAt: nullable,
      rotatedUntil: nullable,
      leakedAt: nullable,
      leakedUrl: { maxLength: 2048, ...nullable },
      lastUsedAt: described,
    };
    expect(documented(ApiKeyOutput)).toMatchObject({ properties });
    expect(documented(OwnApiKeyOutput, 'ApiKey')).toMatchObject({
      properties: { ...properties, timeZone: { maxLength: 64, ...example, ...described } },
    });
    expect(documented(ApiKeySecretOutput, 'ApiKeySecret')).toMatchObject({
      properties: { ...properties, key: described },
    });
  });
});
