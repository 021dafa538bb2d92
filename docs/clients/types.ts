// Writes the types of the client package from the OpenAPI document. `npm run build:client` runs it first.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { openApiText } from '../../server/openapi/document.ts';

/** Generates the types as `npx openapi-typescript <address>/openapi.json --default-non-nullable=false` does. */
export async function clientTypes(): Promise<string> {
  const ast = await openapiTS(openApiText(), { defaultNonNullable: false });
  return astToString(ast);
}

if (import.meta.main)
  await writeFile(join(import.meta.dirname, '../../clients/typescript/src/api.ts'), await clientTypes());
