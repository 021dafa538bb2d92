// Writes a package with the types of a tRPC client, without the modules of this repository. packages.ts packs it.
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { VERSION } from '../../database/version.ts';
import { definitionOf } from '../../procedures/core/declaration/compile.ts';
import { codeOf } from '../../entities/api-error.ts';
import { REASONS } from '../../procedures/core/errors.ts';
import { appRouter } from '../../procedures/index.ts';
import { TypePrinter, objectType } from './type-printer.ts';

const root = join(import.meta.dirname, '../..');

/** Directory of the package. */
export const TYPES_DIRECTORY = join(root, 'dist', 'types');

const PACKAGE = {
  name: '@compliance/api-types',
  version: VERSION,
  description: 'Types of the compliance API for a tRPC client',
  license: 'MIT',
  type: 'module',
  types: './index.d.ts',
  exports: { '.': { types: './index.d.ts' }, './contract': { types: './contract.d.ts' } },
  files: ['*.d.ts'],
  peerDependencies: { '@trpc/server': '^11.0.0' },
  publishConfig: { access: 'public' },
};

const README = `# ${PACKAGE.name}

Types of the compliance API, version ${VERSION}, for a tRPC client. The package has no code.

\`\`\`ts
import type { AppRouter } from '${PACKAGE.name}';
import { createTRPCClient, httpBatchLink } from '@trpc/client';

const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: '/trpc', maxItems: 20 })] });
\`\`\`

\`${PACKAGE.name}/contract\` has the types of inputs, outputs and objects without an import of \`@trpc/server\`.
`;

const GENERATED = '// Generated from the Zod schemas of the procedures by npm run build:packages.';

/** Type texts by the segments of procedure paths. */
interface TypeTree {
  [segment: string]: string | TypeTree;
}

/** Prints `contract.d.ts`: inputs, outputs and errors of all procedures, without imports. */
function contractTypes(): string {
  const printer = new TypePrinter();
  const inputs: TypeTree = {};
  const outputs: TypeTree = {};
  for (const path of procedurePaths()) {
    const { inputs: schemas, output } = definitionOf(appRouter, path);
    const [input] = schemas;
    if (input === undefined || output === undefined || schemas.length > 1)
      throw new Error(`${path}: expected one input schema and one output schema`);
    setType(inputs, path, printer.print(input, 'input'));
    setType(outputs, path, output instanceof z.ZodVoid ? 'void' : printer.print(output, 'output'));
  }
  return [
    GENERATED,
    ...printer.namedTypes(),
    `/** Inputs of all procedures. */\nexport interface RouterInputs ${treeType(inputs)}`,
    `/** Outputs of all procedures. */\nexport interface RouterOutputs ${treeType(outputs)}`,
    `export type ErrorCode = ${[...new Set(REASONS.map(codeOf))].map((code) => `"${code}"`).join(' | ')};\n`,
  ].join('\n\n');
}

/** Prints `index.d.ts`: the router type of a tRPC client, and all types of the contract. */
function routerTypes(): string {
  const router: TypeTree = {};
  for (const path of procedurePaths()) {
    const kind = definitionOf(appRouter, path).type === 'query' ? 'Query' : 'Mutation';
    const index = path.replaceAll(/\w+\.?/g, (segment) => `["${segment.replace('.', '')}"]`);
    setType(router, path, `${kind}<RouterInputs${index}, RouterOutputs${index}>`);
  }
  return `${GENERATED}

import type { TRPCBuiltRouter, TRPCDefaultErrorShape, TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";
import type { ErrorCode, RouterInputs, RouterOutputs } from "./contract.js";

export type * from "./contract.js";

type Query<Input, Output> = TRPCQueryProcedure<{ input: Input; output: Output; meta: object }>;
type Mutation<Input, Output> = TRPCMutationProcedure<{ input: Input; output: Output; meta: object }>;

/** Error of a procedure. \`data.errorCode\` has the value that REST sends as \`X-Error-Code\`. */
export type ErrorShape = Pick<TRPCDefaultErrorShape, "message" | "code"> & {
  data: Pick<TRPCDefaultErrorShape["data"], "code" | "httpStatus"> & { errorCode: ErrorCode; path: string | undefined };
};

/** Type parameter of a tRPC client. */
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
${treeType(router).replaceAll(/^/gm, '  ')}
>;
`;
}

const procedurePaths = () => Object.keys(appRouter._def.procedures);

function setType(tree: TypeTree, path: string, text: string): void {
  const [segment = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    tree[segment] = text;
    return;
  }
  const child = (tree[segment] ??= {});
  if (typeof child === 'string') throw new Error(`${path}: ${segment} is also a procedure`);
  setType(child, rest.join('.'), text);
}

const treeType = (tree: TypeTree): string =>
  objectType(
    Object.entries(tree).map(([name, type]) => `${name}: ${typeof type === 'string' ? type : treeType(type)};`),
  );

/** Writes the package to a directory. */
export async function writeTypesPackage(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(PACKAGE, null, 2)}\n`);
  await writeFile(join(directory, 'README.md'), README);
  await copyFile(join(root, 'LICENSE'), join(directory, 'LICENSE'));
  await writeFile(join(directory, 'contract.d.ts'), contractTypes());
  await writeFile(join(directory, 'index.d.ts'), routerTypes());
}
