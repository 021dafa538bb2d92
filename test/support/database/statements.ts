import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const ENTITIES = join(import.meta.dirname, '../../../entities');

/** Texts of the statements that the modules below `entities/` export, by name. */
export async function exportedStatements(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const files = (await readdir(ENTITIES, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const textsByName = new Map<string, Set<string>>();
  const collect = (value: unknown, depth: number) => {
    if (typeof value !== 'object' || value === null) return;
    if ('name' in value && 'text' in value && 'rowScope' in value)
      textsByName.set(String(value.name), (textsByName.get(String(value.name)) ?? new Set()).add(String(value.text)));
    else if (depth > 0) for (const inner of Object.values(value)) collect(inner, depth - 1);
  };
  for (const file of files) collect(await import(join(ENTITIES, file)), 2);
  return textsByName;
}
