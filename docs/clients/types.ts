// Writes the types of the client package from the OpenAPI document: npm run docs:types
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { openApiText } from '../../server/openapi/document.ts';

/** Path of the generated types. */
export const TYPES_PATH = join(import.meta.dirname, '../../clients/typescript/src/api.ts');

/** Generates the types as `npx openapi-typescript <address>/openapi.json --default-non-nullable=false` does. */
export async function clientTypes(): Promise<string> {
  const ast = await openapiTS(openApiText(), { defaultNonNullable: false });
  return `// Made from the OpenAPI document by npm run docs:types.\n\n${astToString(ast)}`;
}

if (import.meta.main) await writeFile(TYPES_PATH, await clientTypes());
