import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const TOKEN = 'operator-token-of-the-benchmark-0123456789';
const NODE_OPTIONS = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

/** A service that a benchmark started in another process, on an empty database. */
export interface BenchService {
  url: string;
  /** Headers of the operator. */
  managementHeaders: Readonly<Record<string, string>>;
  /** Calls a management procedure as the operator. */
  manage: <Schema extends z.ZodType>(
    name: string,
    input: object,
    output: Schema,
    company?: number,
  ) => Promise<z.infer<Schema>>;
  /** Creates a backup, and reads it to its end. */
  backUp: () => Promise<void>;
  /** Resident memory of all processes of the service in MiB. */
  residentMiB: () => Promise<number>;
  pid: number;
  /** CPU time of the service so far, in milliseconds. */
  cpuMs: () => Promise<number>;
  stop: () => Promise<void>;
}

/**
 * @param databaseUrl an empty PostgreSQL database; undefined for the embedded database
 * @param others further settings
 */
export async function startBenchService(
  databaseUrl?: string,
  others: Readonly<Record<string, string>> = {},
): Promise<BenchService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  const settings = [
    'MALLOC_ARENA_MAX=2',
    'PORT=0',
    'RATE_LIMIT_PER_MINUTE=0',
    'COMPANY_RATE_LIMIT_PER_MINUTE=0',
    'LOG_LEVEL=error',
    `DATA_DIR=${dataDir}`,
    `OPERATOR_TOKEN=${TOKEN}`,
    ...(databaseUrl === undefined ? [] : [`DATABASE_URL=${databaseUrl}`]),
    ...Object.entries(others).map(([name, value]) => `${name}=${value}`),
  ];
  const command = [...settings, process.execPath, ...NODE_OPTIONS, 'server/main.js'];
  const service = spawn('env', command, { stdio: ['ignore', 'inherit', 'pipe'] });
  const exited = new Promise<void>((resolve) => service.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    service.stderr.on('data', (chunk) => {
      text += String(chunk);
      const found = /http:\/\/[\d.]+:\d+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
    void exited.then(() => reject(new Error(text)));
  });
  const authorization = { Authorization: `Bearer ${TOKEN}` };
  return {
    url,
    managementHeaders: authorization,
    async manage(name, input, output, company) {
      const response = await fetch(`${url}/trpc/management.${name}`, {
        method: 'POST',
        headers: {
          ...authorization,
          'Content-Type': 'application/json',
          ...(company !== undefined && { 'X-Company-Id': String(company) }),
        },
        body: JSON.stringify(input),
      });
      const { result } = z.object({ result: z.object({ data: z.unknown() }) }).parse(await response.json());
      return output.parse(result.data);
    },
    async backUp() {
      const response = await fetch(`${url}/operator/backup`, { method: 'POST', headers: authorization });
      if (!response.ok) throw new Error(`backup: ${response.status}`);
      await response.arrayBuffer();
    },
    async residentMiB() {
      return (await residentKiB(service.pid ?? 0)) / 1024;
    },
    pid: service.pid ?? 0,
    cpuMs: () => cpuMs(service.pid ?? 0),
    async stop() {
      service.kill();
      await exited;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const MS_PER_TICK = 10;

/** CPU time of a process in milliseconds; 0 once it has ended. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * MS_PER_TICK;
}

/** Resident memory of a process and its children. */
async function residentKiB(pid: number): Promise<number> {
  const [status, children] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''),
  ]).catch(() => ['', '']); // a child has ended meanwhile
  let sum = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  for (const child of children.split(' ').filter(Boolean)) sum += await residentKiB(Number(child));
  return sum;
}
