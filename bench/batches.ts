import { performance } from 'node:perf_hooks';
import { openPostgreSql } from '../database/postgresql/open.ts';
import { Session } from '../database/session.ts';
import { operatorPrincipal } from '../entities/principal.ts';
import { createCaller } from '../procedures/index.ts';
import { createAuthentication } from '../server/auth/authenticate.ts';
import { loadSettings } from '../server/config/settings.ts';

// Compares a batch of 100 creates with 100 creates one after the other, and an upsert that changes nothing with a GET, in one
// run without HTTP. Requires an empty database: DATABASE_URL=postgresql://… npm run bench:batches.

const ROUNDS = 15;
const ITEMS = 100;
const OPERATOR_TOKEN = 'operator-token-of-the-benchmark-0123456789';

const { databaseUrl, migrationDatabaseUrl: ownerUrl = databaseUrl, pooler } = loadSettings();
if (databaseUrl === undefined || ownerUrl === undefined) throw new Error('DATABASE_URL: required');
const database = await openPostgreSql(databaseUrl, { ownerUrl, pooler });
try {
  await database.migrate();
  const { vendor, task, framework } = await createCompany();
  const repeat = <T>(make: (index: number) => T) => Array.from({ length: ITEMS }, (_, index) => make(index));
  const vendorItems = repeat((index) => ({ op: 'create' as const, body: { name: `Cloud ${index} Ltd` } }));
  const taskItems = repeat((index) => ({ op: 'create' as const, framework, body: { title: `Review ${index}` } }));
  const key = { source: 'servicenow', externalId: 'VEN-0042' };
  await vendor.putByExternalId({ ...key, name: 'Cloud Ltd' });
  const each = async (work: (index: number) => Promise<unknown>) => {
    for (let index = 0; index < ITEMS; index++) await work(index);
  };
  await compare('100 vendors', {
    'one by one': () => each((index) => vendor.create({ name: `Cloud ${index} Ltd` })),
    'as a batch': () => vendor.batch({ items: vendorItems }),
  });
  await compare('100 tasks', {
    'one by one': () => each((index) => task.create({ framework, title: `Review ${index}` })),
    'as a batch': () => task.batch({ items: taskItems }),
  });
  await compare('a vendor by external id, 100 times', {
    'upsert, unchanged': () => each(() => vendor.putByExternalId({ ...key, name: 'Cloud Ltd' })),
    read: () => each(() => vendor.getByExternalId(key)),
  });
} finally {
  await database.close();
}

function asOperator(session: Session<ReturnType<typeof operatorPrincipal> | null>) {
  return createCaller({ requestId: 'batches', caller: 'operator', address: null, session }).management;
}

async function createCompany() {
  const { id } = await asOperator(new Session(database, null, 'batches')).company.create({ name: 'Acme' });
  const manage = asOperator(new Session(database, operatorPrincipal(id), 'batches'));
  const { id: framework } = await manage.framework.create({ name: 'ISO 27001' });
  const { key } = await manage.apiKey.create({ name: 'Sync' });
  const authenticate = createAuthentication(database, OPERATOR_TOKEN).apiKey;
  const { context } = await authenticate({ headers: { 'x-api-key': key }, address: '127.0.0.1', requestId: 'batches' });
  const { vendor, task } = createCaller({ ...context, session: context.session.withoutDeadline() });
  return { vendor, task, framework };
}

/** Runs both works by turns, and prints their medians and the ratio of the first to the second. */
async function compare(title: string, works: Record<string, () => Promise<unknown>>): Promise<void> {
  const durations = Object.entries(works).map(([name, work]) => ({ name, work, times: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { work, times } of durations) {
      const startedAt = performance.now();
      await work();
      times.push(performance.now() - startedAt);
    }
  }
  const medians = durations.map(({ name, times }) => ({
    name,
    ms: times.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0,
  }));
  const [first, second] = medians;
  const ratio = (first?.ms ?? 0) / (second?.ms ?? 1);
  const texts = medians.map(({ name, ms }) => `${name} ${ms.toFixed(0)} ms`);
  process.stdout.write(`${title}: ${texts.join(', ')}, ratio ${ratio.toFixed(1)}\n`);
}
