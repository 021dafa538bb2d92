import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeTypesPackage } from '../../docs/clients/trpc-types.ts';

// The package @compliance/api-types in a project without the modules of this repository.

const execFileAsync = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const installed = join(root, 'node_modules');
/** Programs with their arguments. Each checker compares the same types again, so one takes the least CPU time. */
const COMPILERS = {
  'TypeScript 5': [join(root, 'docs', 'clients', 'node_modules', '.bin', 'tsc')],
  'TypeScript 7': [join(installed, '.bin', 'tsc'), '--checkers', '1'],
};
const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
  lib: ['ES2022', 'DOM', 'ESNext.Disposable'],
  types: [],
  module: 'esnext',
  moduleResolution: 'bundler',
  jsx: 'react-jsx',
};

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'types-package-'));
  for (const scope of ['@compliance', '@types']) await mkdir(join(project, 'node_modules', scope), { recursive: true });
  await writeTypesPackage(join(project, 'node_modules', '@compliance', 'api-types'));
  for (const name of ['@trpc', '@tanstack', 'react', '@types/react'])
    await symlink(join(installed, name), join(project, 'node_modules', name));
});
afterAll(() => rm(project, { recursive: true }));

/** Compiles one file of the project. @returns the messages of the compiler */
async function compile(file: string, text: string, compiler = COMPILERS['TypeScript 7'], options: object = {}) {
  await writeFile(join(project, file), text);
  const config = { compilerOptions: { ...COMPILER_OPTIONS, ...options }, files: [file] };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await execFileAsync(process.execPath, [...compiler, '-p', project], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

describe.for(Object.entries(COMPILERS))('with %s', ([, compiler]) => {
  test('the page of docs/clients/trpc.md compiles', async () => {
    const [, page = ''] =
      /```tsx\n([\s\S]*?)```/.exec(await readFile(join(root, 'docs/clients/trpc.md'), 'utf8')) ?? [];
    expect(page).toContain('@compliance/api-types');
    expect(await compile('vendors.tsx', page, compiler)).toBe('');
    expect(await compile('vendors.tsx', page.replace("{ name: 'Cloud Ltd' }", '{ title: 1 }'), compiler)).toMatch(
      /^vendors\.tsx\(\d+,\d+\): error TS2353: .+'title'/,
    );
  });

  test('the contract compiles with lib ES2022 and without @trpc/server', async () => {
    const text = `
      import type { RouterInputs, RouterOutputs, Task } from '@compliance/api-types/contract';
      export const input: RouterInputs['task']['create'] = { framework: 1, title: 'Review', dueDate: undefined };
      export const titleOf = (task: RouterOutputs['task']['get']): Task['title'] => task.title;
    `;
    expect(await compile('contract.ts', text, compiler, { lib: ['ES2022'] })).toBe('');
  });
});

test('the types of the package are those of the router', async () => {
  const text = `
    import type { AppRouter } from '@compliance/api-types';
    import type { inferRouterError, inferRouterInputs, inferRouterOutputs } from '@trpc/server';
    import type { AppRouter as Actual } from '${root}/procedures/index.ts';

    type Extends<A, B> = [A] extends [B] ? true : false;
    type Inputs = inferRouterInputs<AppRouter>;
    type ActualInputs = inferRouterInputs<Actual>;
    type Outputs = inferRouterOutputs<AppRouter>;
    type ActualOutputs = inferRouterOutputs<Actual>;

    export const sameRouters: Extends<keyof ActualInputs, keyof Inputs> = true;
    export const acceptedInputs: Extends<Inputs, ActualInputs> = true;
    export const completeOutputs: [Extends<Outputs, ActualOutputs>, Extends<ActualOutputs, Outputs>] = [true, true];
    export const sameErrors: Extends<inferRouterError<Actual>, inferRouterError<AppRouter>> = true;
    export const otherOutput: Extends<Outputs['task'], ActualOutputs['vendor']> = false;
  `;
  const options = {
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    lib: ['ESNext'],
    types: ['node'],
    typeRoots: [join(installed, '@types')],
  };
  expect(await compile('router.ts', text, COMPILERS['TypeScript 7'], options)).toBe('');
});
