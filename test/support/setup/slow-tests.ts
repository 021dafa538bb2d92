import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** Modules with which tests start processes, other servers, a browser or a database of their own, or wait. */
const SLOW_MODULE =
  /^(?:node:child_process|node:timers\/promises|playwright-core|database\/(?:pglite\/open|orm\/squawk)\.ts|test\/support\/database\/empty-database\.ts|test\/(?:support\/servers|programs\/fuzz)\/.*)$/;
/** Text of tests that fill large tables, or whose requests wait for changes. */
const SLOW_TEXT = /generate_series\(1, \d{5,}\)|, wait: \d|&wait=\d/;
/** Modules whose imports make no test slow: the one database of the worker, and the client, which waits only for a busy server. */
const QUICK_MODULES = new Set(['test/support/database/database.ts', 'test/support/http/client.ts']);
/** Imports and exports of values, and dynamic imports. */
const IMPORT = /^(?:import|export) (?!type\b)(?:[^;']* from )?'([^']+)'|\bimport\('([^']+)'\)/gm;

/**
 * Returns the chain of modules through which a test is slow, the reason last; undefined if the test is quick. Follows imports
 * within `test/` only: modules of the service wait and start processes only if a test makes them.
 * @param file path from the root of the repository
 */
export function slowChain(file: string, seen = new Set<string>()): string[] | undefined {
  if (SLOW_MODULE.test(file)) return [file];
  const path = join(root, file);
  if (!file.startsWith('test/') || QUICK_MODULES.has(file) || seen.has(file) || !existsSync(path)) return undefined;
  seen.add(file);
  const text = readFileSync(path, 'utf8');
  const slowText = SLOW_TEXT.exec(text)?.[0];
  if (slowText !== undefined) return [file, slowText];
  for (const [, imported, dynamic = ''] of text.matchAll(IMPORT)) {
    const name = imported ?? dynamic;
    const chain = slowChain(name.startsWith('.') ? relative(root, join(path, '..', name)) : name, seen);
    if (chain !== undefined) return [file, ...chain];
  }
  return undefined;
}
