import { expect, test } from 'vitest';
import { OPERATOR_TOKEN, callManagement, operatorHeaders } from '../support/http/client.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const VENDORS = '/external/smart-inventory/vendor/list';

test('a server applies its settings and stops with exit code 0', async () => {
  const service = await startServiceProcess({
    DATA_DIR: await temporaryFolder(),
    OPERATOR_TOKEN,
    COMPANY_ID_START: '7000',
    RATE_LIMIT_PER_MINUTE: '10',
    COMPANY_RATE_LIMIT_PER_MINUTE: '2',
    REDIS_URL: 'redis://127.0.0.1:1',
    CORS_ORIGINS: 'https://app.example.com',
    SECURITY_CONTACT: 'mailto:security@example.com',
  });
  const key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? '';
  const get = (path: string) =>
    fetch(`${service.url}${path}`, { headers: { 'X-API-Key': key, Origin: 'https://app.example.com' } });
  const responses = [await get(VENDORS), await get(VENDORS), await get(VENDORS)];
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
  for (const { headers } of responses) {
    expect(headers.get('RateLimit-Policy')).toBe('"company";q=2;w=60');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('https://app.example.com');
  }
  expect(await (await get('/.well-known/security.txt')).text()).toContain('Contact: mailto:security@example.com\n');
  // Two processes create companies: one prepares the database, and the other serves.
  await callManagement(service.url, 'company.create', { name: 'Acme' });
  const companies = await fetch(`${service.url}/trpc/management.company.list`, { headers: operatorHeaders() });
  expect(await companies.json()).toMatchObject({
    result: {
      data: [
        { id: 7000, name: 'Demo' },
        { id: 7001, name: 'Acme' },
      ],
    },
  });
  expect(await stopServiceProcess(service)).toBe(0);
});
