import { definitionOf } from '../../procedures/core/declaration/compile.ts';
import { appRouter } from '../../procedures/index.ts';
import { businessProcedures, compileTools } from '../mcp/tools.ts';
import { markdownTable } from './markdown-table.ts';

/** Writes the tables between `<!-- tools -->`, `<!-- exceptions -->` and their ends, from the router. */
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
