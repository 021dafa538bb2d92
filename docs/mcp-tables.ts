// Writes the tables of mcp.md from the router: npm run docs:contract
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definitionOf } from '../procedures/core/declaration/compile.ts';
import { appRouter } from '../procedures/index.ts';
import { businessProcedures, compileTools } from '../server/mcp/tools.ts';
import { markdownTable } from './markdown-table.ts';

/** Path of the page that holds the tables. */
export const MCP_PATH = join(import.meta.dirname, 'mcp.md');

/** Replaces the tables between `<!-- tools -->` and `<!-- exceptions -->` and their ends. */
export function withToolTables(page: string): string {
  const tools = [...compileTools(appRouter)].map(([name, { description }]) => [`\`${name}\``, description.title]);
  const exceptions = businessProcedures(appRouter).flatMap((name) => {
    const reason = definitionOf(appRouter, name).meta.mcp?.exclude;
    return reason === undefined ? [] : [[`\`${name}\``, reason]];
  });
  const tables: Readonly<Record<string, string>> = {
    tools: markdownTable([['tool', 'effect'], ...tools]),
    exceptions: markdownTable([['procedure', 'reason'], ...exceptions]),
  };
  return page.replaceAll(
    /<!-- (tools|exceptions) -->\n[^]*?<!-- \/\1 -->/g,
    (_, name: string) => `<!-- ${name} -->\n\n${tables[name] ?? ''}\n\n<!-- /${name} -->`,
  );
}

if (import.meta.main) await writeFile(MCP_PATH, withToolTables(await readFile(MCP_PATH, 'utf8')));
