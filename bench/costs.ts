import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { openPostgreSql } from '../database/postgresql/open.ts';
import { Session } from '../database/session.ts';
import { operatorPrincipal } from '../entities/principal.ts';
import { sealAuditLog } from '../entities/audit/seal-statements.ts';
import { createCaller } from '../procedures/index.ts';
import { createAuthentication } from '../server/auth/authenticate.ts';
import { loadSettings } from '../server/config/settings.ts';
import { cpuMs } from './service.ts';

// Measures the size of each row in the database, and the CPU time of each call in this process and in PostgreSQL on the same
// machine, without HTTP (docs/scaling.md). Requires an empty database: DATABASE_URL=postgresql://… npm run bench:costs.
// DATABASE_POOLER and DATABASE_REPLICA_URLS have the same meaning as for the service.

const MAX_CONCURRENT = 32;
const OPERATOR_TOKEN = 'operator-token-of-the-benchmark-0123456789';

const { values: options } = parseArgs({
  options: {
    companies: { type: 'string', default: '200' },
    each: { type: 'string', default: '25' },
    calls: { type: 'string', default: '5000' },
  },
});
const { databaseUrl, migrationDatabaseUrl: ownerUrl = databaseUrl, pooler, replicaUrls } = loadSettings();
if (databaseUrl === undefined || ownerUrl === undefined) throw new Error('DATABASE_URL: required');
const print = (line: string) => void process.stdout.write(`${line}\n`);
const database = await openPostgreSql(databaseUrl, { ownerUrl, pooler, replicaUrls });
const authenticate = createAuthentication(database, OPERATOR_TOKEN).apiKey;
/** Connections that bypass the pooler, to query pg_stat_activity. */
const servers = [ownerUrl, ...replicaUrls].map((url) => new Client({ connectionString: url }));
for (const server of servers) await server.connect();
const [owner] = servers;
if (owner === undefined) throw new Error('DATABASE_URL: required');
try {
  await database.migrate();
  const companies = await createCompanies(Number(options.companies), Number(options.each));
  await printTableSizes();
  await printCallCosts(companies);
} finally {
  await Promise.all(servers.map((server) => server.end()));
  await database.close();
}

interface Company {
  key: string;
  framework: number;
  vendor: string;
  task: string;
}

/** Creates companies as the operator, and their tasks and vendors as an integration. Updates each task and vendor once. */
async function createCompanies(count: number, itemsPerCompany: number): Promise<Company[]> {
  const created: Company[] = [];
  await runConcurrently(count, async (no) => {
    const { id } = await asOperator(new Session(database, null, 'costs')).company.create({ name: `Company ${no}` });
    const session = new Session(database, operatorPrincipal(id), 'costs');
    const manage = asOperator(session);
    const framework = (await manage.framework.create({ name: 'ISO 27001' })).id;
    const { key } = await manage.apiKey.create({ name: 'Ticket sync' });
    const { vendor, task } = await callerForKey(key);
    let last = { vendor: '', task: '' };
    for (let index = 0; index < itemsPerCompany; index++) {
      const description = '<p>Hosts the customer portal and its <b>backups</b>, in two regions.</p>'.repeat(3);
      const labels = ['access', 'quarterly'];
      last = {
        vendor: (await vendor.create({ name: `Cloud ${index} Ltd`, description })).uniqueId,
        task: (await task.create({ framework, title: `Review access rights ${index}`, labels })).uniqueId,
      };
      await vendor.update({ vendor: last.vendor, active: false });
      await task.update({ taskUniqueId: last.task, status: 'in_progress' });
    }
    while ((await session.one(sealAuditLog, {})).sealed > 0);
    created.push({ key, framework, ...last });
  });
  return created;
}

function asOperator(session: Session<ReturnType<typeof operatorPrincipal> | null>) {
  return createCaller({ requestId: 'costs', caller: 'operator', address: null, session }).management;
}

async function callerForKey(rawKey: string, readOnly = false) {
  const credentials = { headers: { 'x-api-key': rawKey }, address: '127.0.0.1', requestId: 'costs', readOnly };
  const { context } = await authenticate(credentials);
  return createCaller({ ...context, session: context.session.withoutDeadline() });
}

async function printTableSizes(): Promise<void> {
  await owner?.query('vacuum (full, analyze)');
  const sizes = await owner?.query<{ table: string; rows: number; heap: number; indexes: number }>(
    `select c.oid::regclass::text as "table", c.reltuples::int as rows,
      (pg_table_size(c.oid) / c.reltuples)::int as heap, (pg_indexes_size(c.oid) / c.reltuples)::int as indexes
    from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.reltuples > 100
    order by pg_total_relation_size(c.oid) desc`,
  );
  for (const { table, rows, heap, indexes } of sizes?.rows ?? [])
    print(`${table}: ${rows} rows; per row ${heap} bytes in the table, ${indexes} bytes in indexes`);
}

async function printCallCosts(companies: readonly Company[]): Promise<void> {
  const companyAt = (no: number) => companies[no % companies.length] ?? { key: '', framework: 0, vendor: '', task: '' };
  const operations: Record<string, (company: Company) => Promise<unknown>> = {
    'get a vendor': async ({ key, vendor }) => (await callerForKey(key, true)).vendor.get({ vendor }),
    'list 25 vendors': async ({ key }) => (await callerForKey(key, true)).vendor.list(),
    'list 25 tasks': async ({ key, framework }) => (await callerForKey(key, true)).task.list({ framework, limit: 25 }),
    'list 50 events': async ({ key }) => (await callerForKey(key, true)).audit.list({}),
    'update a task': async ({ key, task }) =>
      (await callerForKey(key)).task.update({ taskUniqueId: task, title: `Review ${Math.random()}` }),
    'create a vendor': async ({ key }) => (await callerForKey(key)).vendor.create({ name: 'Cloud Ltd' }),
  };
  for (const [name, call] of Object.entries(operations)) {
    await runConcurrently(500, async (no) => void (await call(companyAt(no))));
    const before = await cpuMicroseconds();
    const startedAt = performance.now();
    const calls = Number(options.calls);
    await runConcurrently(calls, async (no) => void (await call(companyAt(no))));
    const durationMs = performance.now() - startedAt;
    const after = await cpuMicroseconds();
    const [own, ...others] = after.map((used, index) => {
      const increases = [...used].map(([pid, now]) => now - (before[index]?.get(pid) ?? 0));
      return Math.round(increases.reduce((sum, increase) => sum + increase, 0) / calls);
    });
    print(
      `${name}: ${own} µs in this process, ${others.join(' + ')} µs in PostgreSQL, ${Math.round((calls / durationMs) * 1000)} per second`,
    );
  }
}

/** CPU microseconds by process id: of this process, then of the backends of each server. Backends may exit between calls. */
async function cpuMicroseconds(): Promise<Map<number, number>[]> {
  const { user, system } = process.cpuUsage();
  const serverUsage = servers.map(async (server) => {
    const { rows } = await server.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database()`,
    );
    return new Map(
      await Promise.all(rows.map(async ({ pid }): Promise<[number, number]> => [pid, 1000 * (await cpuMs(pid))])),
    );
  });
  return [new Map([[process.pid, user + system]]), ...(await Promise.all(serverUsage))];
}

async function runConcurrently(times: number, work: (no: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < times) await work((next += 1));
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker));
}
