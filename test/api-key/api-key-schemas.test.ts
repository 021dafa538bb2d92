import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { SCOPES } from '../../entities/api-key/scope.ts';
import {
  ApiKeyOutput,
  ApiKeySecretOutput,
  ApiKeySettings,
  NewApiKey,
  ApiKeyId,
  ApiKeyRotation,
  toApiKeyOutput,
} from '../../procedures/api-key/schemas.ts';

// What a key takes, and what of it is shown; without the service around it.

const KEY_ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-21T12:00:00Z'), toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const issuesOf = (schema: z.ZodType, input: unknown) =>
  schema.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
/** What is wrong with a field, of a key that is made and of one that is changed. */
const fieldIssues = (field: string, value: unknown) => {
  const [made, changed] = [
    issuesOf(NewApiKey, { name: 'Sync', [field]: value }),
    issuesOf(ApiKeySettings, { uniqueId: KEY_ID, [field]: value }),
  ];
  expect(changed).toEqual(made);
  return made;
};
const parseNewKey = (fields: object) => NewApiKey.parse({ name: 'Sync', ...fields });

test('a new key needs a name only, and none is enabled or disabled when it is made', () => {
  expect(NewApiKey.parse({ name: ' Sync ' })).toEqual({ name: 'Sync' });
  expect(issuesOf(NewApiKey, {})).toEqual(['name: required']);
  expect(issuesOf(NewApiKey, { name: 'Sync', enabled: true })).toEqual([': Unrecognized key: "enabled"']);
  expect(issuesOf(NewApiKey, { name: 'Sync', company: 8 })).toEqual([': Unrecognized key: "company"']);
});

test('a change names its key, and has no defaults', () => {
  expect(ApiKeySettings.parse({ uniqueId: KEY_ID })).toEqual({ uniqueId: KEY_ID });
  expect(ApiKeySettings.parse({ uniqueId: KEY_ID, enabled: false })).toEqual({ uniqueId: KEY_ID, enabled: false });
  expect(issuesOf(ApiKeySettings, { uniqueId: KEY_ID, enabled: 'no' })).toEqual(['enabled: expected true or false']);
  for (const schema of [ApiKeyId, ApiKeySettings, ApiKeyRotation]) {
    expect(issuesOf(schema, {})).toEqual(['uniqueId: required']);
    expect(issuesOf(schema, { uniqueId: KEY_ID, user: 'x' })).toEqual([': Unrecognized key: "user"']);
  }
});

describe('a field is held to its rule:', () => {
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
    const many = Array.from({ length: 101 }, (_, at) => at + 1);
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
    const many = Array.from({ length: 101 }, (_, at) => `10.0.0.${at}/32`);
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

describe('of a key is shown', () => {
  const at = (day: string) => new Date(`2026-11-${day}T12:00:00.000Z`);
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
      createdAt: at('01'),
    },
    scopes: ['task:read'],
    enabled: true,
    createdAt: at('01'),
    hash: Buffer.alloc(32),
    previousHash: Buffer.alloc(32),
    company: { id: 7 },
  };
  const shown = {
    uniqueId: KEY_ID,
    name: 'Sync',
    start: 'svc_sk_live_7Hq2',
    last4: '3kZd',
    user: { uniqueId: KEY_ID.replace('1', '2'), name: 'Sync', kind: 'integration' },
    scopes: ['task:read'],
    enabled: true,
    createdAt: '2026-11-01T12:00:00.000Z',
  };

  test('what it is, with null for what is not', () => {
    const none = {
      frameworks: null,
      cidrs: null,
      expiresAt: null,
      revokedAt: null,
      rotatedUntil: null,
      leakedAt: null,
      leakedUrl: null,
      lastUsedAt: null,
    };
    expect(toApiKeyOutput(key as unknown as Key)).toEqual({ ...shown, ...none });
    expect(ApiKeyOutput.strict().safeParse(toApiKeyOutput(key as unknown as Key)).success).toBe(true);
  });

  test('each moment under its own name, and nothing secret', () => {
    const all = {
      frameworks: [5],
      cidrs: ['10.0.0.0/8'],
      expiresAt: at('02'),
      revokedAt: at('03'),
      previousUntil: at('04'),
      leakedAt: at('05'),
      leakedUrl: 'https://example.com',
      lastUsedAt: at('06'),
    };
    expect(toApiKeyOutput({ ...key, ...all } as unknown as Key)).toEqual({
      ...shown,
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

  test('a raw key only where it is made', () => {
    expect(Object.keys(ApiKeyOutput.shape)).not.toContain('key');
    expect(Object.keys(ApiKeySecretOutput.shape)).toEqual([...Object.keys(ApiKeyOutput.shape), 'key']);
  });
});

describe('the document', () => {
  const told = (schema: z.ZodType, name?: string) => {
    const { schema: inline, components } = createSchema(schema, { io: 'input' });
    return name === undefined ? inline : components[name];
  };
  const said = { description: expect.stringMatching(/\w{3}/) };

  test('tells the bounds of what a key takes, and what each field means', () => {
    const range = (items: object) => ({ anyOf: [{ minItems: 1, maxItems: 100, items }, { type: 'null' }], ...said });
    expect(told(ApiKeySettings)).toMatchObject({
      properties: {
        uniqueId: said,
        name: { maxLength: 255, ...said },
        scopes: { minItems: 1, items: { enum: SCOPES }, ...said },
        frameworks: range({ minimum: 1, ...said }),
        cidrs: range({}),
        expiresAt: said,
      },
      required: ['uniqueId'],
    });
    expect(told(ApiKeyRotation)).toMatchObject({
      properties: { overlapSeconds: { maximum: 2_592_000, default: 0, ...said } },
    });
  });

  test('tells what a key shows', () => {
    const example = { examples: [expect.stringMatching(/\w/)] };
    const maybe = { examples: [null], ...said };
    const shown = {
      name: { maxLength: 255, ...example },
      start: { maxLength: 16, ...example, ...said },
      last4: { maxLength: 4, ...example, ...said },
      scopes: { maxItems: SCOPES.length, examples: [SCOPES] },
      frameworks: { anyOf: [{ maxItems: 100 }, { type: 'null' }] },
      cidrs: { anyOf: [{ maxItems: 100, items: { maxLength: 43, ...example } }, { type: 'null' }] },
      expiresAt: maybe,
      revokedAt: maybe,
      rotatedUntil: maybe,
      leakedAt: maybe,
      leakedUrl: { maxLength: 2048, ...maybe },
      lastUsedAt: said,
    };
    expect(told(ApiKeyOutput, 'ApiKey')).toMatchObject({ properties: shown });
    expect(told(ApiKeySecretOutput, 'ApiKeySecret')).toMatchObject({ properties: { ...shown, key: said } });
  });
});
