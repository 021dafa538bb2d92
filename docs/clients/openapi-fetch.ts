// SERVER=http://127.0.0.1:3000 API_KEY=svc_sk_live_… npx node@24 openapi-fetch.ts
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

const { SERVER = 'http://127.0.0.1:3000', API_KEY = '' } = process.env;
const { GET, PATCH, POST } = createClient<paths, 'application/json'>({
  baseUrl: SERVER,
  headers: { 'X-API-Key': API_KEY },
});

const { data: vendor, error } = await POST('/external/smart-inventory/vendor/new', { body: { name: 'Cloud Ltd' } });
if (error) throw new Error(error.error);
const path = { vendor: vendor.uniqueId };
await PATCH('/external/smart-inventory/vendor/{vendor}/edit', { params: { path }, body: { active: false } });
const { data: vendors = [] } = await GET('/external/smart-inventory/vendor/list');
for (const { name, status } of vendors) process.stdout.write(`${name} is ${status}\n`);
