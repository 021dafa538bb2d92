// Generates clients from the OpenAPI document of a running server, compiles each with `strict`, and makes one call with each:
// npm run program -- generators. Installs the generators of project/package.json into a temporary folder, so it needs the registry.
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileAsync, startServiceProcess, stopServiceProcess } from '../../support/servers/service-process.ts';
import { DOCUMENT, generators } from './generators.ts';
import type { Generator } from './generators.ts';

/** Values that every program reads from its environment. */
const START = `const { SERVER: server = '', API_KEY: key = '', IMPORT: importUniqueId = '' } = process.env;
interface Result {
  uniqueId: string | undefined;
  total: number | undefined;
}`;
const END = `void call().then(({ uniqueId, total }) => process.stdout.write(\`\${uniqueId} \${total}\`));`;

const COMPILER_OPTIONS = {
  strict: true,
  target: 'es2022',
  module: 'commonjs',
  moduleResolution: 'node10',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: ['node'],
  // Covers only declarations of packages: the clients are sources.
  skipLibCheck: true,
  outDir: 'compiled',
};

type Environment = Record<'SERVER' | 'API_KEY' | 'IMPORT' | 'TOTAL', string>;

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Generates, compiles and calls. @throws Error of the first step that fails */
async function tryGenerator(root: string, { name, command, files, program }: Generator, env: Environment) {
  const [bin, ...args] = command;
  const cwd = join(root, name.replaceAll(/\W/g, '-'));
  const modules = join(root, 'node_modules');
  await mkdir(join(cwd, 'client'), { recursive: true });
  await symlink(modules, join(cwd, 'node_modules'));
  const contents = {
    ...files,
    [DOCUMENT]: await (await fetch(`${env.SERVER}/openapi.json`)).text(),
    'program.ts': `${START}\n${program}\n${END}\n`,
    'tsconfig.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['program.ts', 'client'] }),
  };
  for (const [file, content] of Object.entries(contents)) await writeFile(join(cwd, file), content);
  await execFileAsync(join(modules, '.bin', bin), args, { cwd });
  await execFileAsync(join(modules, '.bin', 'tsc'), [], { cwd });
  const { stdout } = await execFileAsync(process.execPath, ['compiled/program.js'], {
    cwd,
    env: { ...process.env, ...env },
  });
  const expected = `${env.IMPORT} ${env.TOTAL}`;
  if (stdout !== expected) throw new Error(`the call returned ${stdout}, expected ${expected}`);
}

/** Starts an import with a key. @returns its uniqueId */
async function startImport(server: string, key: string): Promise<string> {
  const response = await fetch(`${server}/external/smart-inventory/vendor/import`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'text/csv' },
    body: 'name\nCloud Ltd\n',
  });
  if (response.status !== 202) throw new Error(`the import was not accepted: ${response.status}`);
  return String(Reflect.get(Object(await response.json()), 'uniqueId'));
}

/** Counts the tasks with one of the two statuses of the programs. */
async function countTasks(server: string, key: string): Promise<string> {
  const response = await fetch(`${server}/external/task/list?status=todo,done`, { headers: { 'X-API-Key': key } });
  if (!response.ok) throw new Error(`the tasks were not counted: ${response.status}`);
  return String(Reflect.get(Object(await response.json()), 'total'));
}

const root = await mkdtemp(join(tmpdir(), 'compliance-generators-'));
const service = await startServiceProcess({ DATA_DIR: join(root, 'data'), LOG_LEVEL: 'warn' });
try {
  const [key] = /svc_sk_live_\w+/.exec(service.stderr) ?? [];
  if (key === undefined) throw new Error(`the service did not start: ${service.output}`);
  await cp(join(import.meta.dirname, 'project'), root, { recursive: true });
  await execFileAsync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: root });
  const env = {
    SERVER: service.url,
    API_KEY: key,
    IMPORT: await startImport(service.url, key),
    TOTAL: await countTasks(service.url, key),
  };
  for (const generator of generators(service.url)) {
    try {
      await tryGenerator(root, generator, env);
      print(`${generator.name}: passed`);
    } catch (error) {
      process.exitCode = 1;
      const { stdout = '', message } = Object(error) as { stdout?: string; message: string };
      print(`${generator.name}: failed\n${message}\n${stdout}`);
    }
  }
} finally {
  await stopServiceProcess(service);
  await rm(root, { recursive: true, force: true });
}
