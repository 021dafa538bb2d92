import { bench, run } from 'mitata';
import { openPglite } from '../database/pglite/open.ts';
import { Session } from '../database/session.ts';
import { operatorPrincipal } from '../entities/principal.ts';
import { createCaller } from '../procedures/index.ts';
import { createAuthentication } from '../server/auth/authenticate.ts';

// Benchmarks of hot paths: npm run bench. The embedded database is slower than PostgreSQL and shares the cores, so only
// compare runs with each other. README.md describes the benchmarks of the whole service.

const database = await openPglite();
await database.migrate();
const operator = (company: number | null) =>
  createCaller({
    requestId: 'bench',
    caller: 'operator',
    address: null,
    session: new Session(database, company === null ? null : operatorPrincipal(company), 'bench'),
  }).management;
const { id } = await operator(null).company.create({ name: 'Bench' });
const { key } = await operator(id).apiKey.create({ name: 'Bench' });
const framework = await operator(id).framework.create({ name: 'ISO 27001' });
const authenticate = createAuthentication(database, 'operator-token-of-the-benchmark-0123456789').apiKey;
const credentials = { headers: { 'x-api-key': key }, address: '127.0.0.1', requestId: 'bench' };
const { vendor, task } = createCaller((await authenticate(credentials)).context);
const { uniqueId } = await vendor.create({ name: 'Cloud Ltd', description: '<p>Hosting and <b>backups</b>.</p>' });
for (let index = 1; index < 100; index++) await vendor.create({ name: `Vendor ${index}` });
const { uniqueId: taskUniqueId } = await task.create({ framework: framework.id, title: 'Review access rights' });
let updateCount = 0;

bench('authenticate a cached key', () => authenticate(credentials));
bench('get a vendor', () => vendor.get({ vendor: uniqueId }));
bench('list 100 vendors', () => vendor.list());
bench('count the tasks of a framework', () => task.list({ framework: framework.id }));
bench('update a task', () => task.update({ taskUniqueId, title: `Changed ${(updateCount += 1)}` }));
await run();
await database.close();
