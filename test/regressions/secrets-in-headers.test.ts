import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { generateRawKey } from '../../entities/api-key/raw-key.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import { http } from '../support/http/server.ts';

const acme = await createCompany();

const CREATE_PATH = '/external/smart-inventory/vendor/new';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

test('an X-Request-Id that contains a secret is replaced, in the response and in the audit log', async () => {
  const other = generateRawKey();
  const ids = [acme.key, other, `req:${acme.key}.1`, other.slice(0, 30), OPERATOR_TOKEN, `x-${OPERATOR_TOKEN}:y`];
  for (const id of ids) {
    const headers = { 'X-Request-Id': id };
    const created = await http('POST', CREATE_PATH, { key: acme.key, headers, body: { name: 'Cloud' } });
    expect(created).toMatchObject({ status: 201, headers: { 'x-request-id': expect.stringMatching(UUID) } });
    const [event] = await acme.events((created.body as { uniqueId: string }).uniqueId);
    expect(event).toMatchObject({ action: 'vendor.create', request_id: created.headers['x-request-id'] });
  }
});

test('an X-Request-Id without a secret is kept', async () => {
  for (const id of ['svc_sk_live_', 'x'.repeat(128), randomUUID(), OPERATOR_TOKEN.toUpperCase()]) {
    const created = await http('POST', CREATE_PATH, {
      key: acme.key,
      headers: { 'X-Request-Id': id },
      body: { name: 'Cloud' },
    });
    expect(created).toMatchObject({ status: 201, headers: { 'x-request-id': id } });
    const [event] = await acme.events((created.body as { uniqueId: string }).uniqueId);
    expect(event).toMatchObject({ request_id: id });
  }
});

test('no error message contains an API key', async () => {
  const { key } = acme;
  const task = `/external/task/framework/${acme.framework}`;
  const responses = [
    await http('POST', CREATE_PATH, { key, body: { name: 'Cloud', [key]: 1 } }),
    await http('POST', `${CREATE_PATH}?${key}=1`, { key, body: { name: 'Cloud' } }),
    await http('GET', `${task}/list?${key}=1`, { key }),
    await http('GET', `${task}/list?${key}=%ff`, { key }),
    await http('GET', `${task}/list?${key}=1&${key}=1`, { key }),
    await http('GET', `/trpc/${key}`, { key }),
    await http('POST', '/trpc/vendor.create', { key, body: { name: 'Cloud', [`x${key}`]: 1 } }),
  ];
  for (const { status, text } of responses) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(text).toContain('svc_sk_live_[redacted]');
  }
});
