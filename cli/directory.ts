import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { DirectoryChanges, DirectoryPage } from '../procedures/management/directory.ts';
import type { CallServer } from './remote.ts';

/** A change is printed within a second. */
const POLL_INTERVAL_MS = 500;

type Key = z.infer<typeof DirectoryPage>['keys'][number];

const Options = z.strictObject({
  follow: z.boolean().optional().meta({ description: 'Keep running, and print each change after an empty line' }),
});

/** Creates the command that prints which secrets a router sends to this cell. */
export function directoryCommands(call: CallServer) {
  const t = initTRPC.meta<Meta>().create();
  return {
    export: t.procedure
      .meta({ description: 'Print the SHA-256 and the company of each working secret, one per line' })
      .input(Options)
      .mutation(({ input: { follow = false } }) => {
        process.stdout.on('error', () => process.exit(1)); // the reader has ended
        return follow ? followDirectory(call) : exportDirectory(call);
      }),
  };
}

async function exportDirectory(call: CallServer): Promise<void> {
  for await (const keys of pages(call, null)) await print(keys.flatMap(linesOf));
}

const linesOf = ({ company, hashes }: Key) => hashes.map((hash) => `${hash} ${company}`);

/** Runs until an error ends the command: then the caller runs it again, and compares the complete list with what it has. */
async function followDirectory(call: CallServer): Promise<never> {
  const known = new KnownKeys();
  // Changes during the list are found again afterwards, as the moment is before it.
  let { moment } = DirectoryChanges.parse(await call('directory.changes', { since: null, after: null }));
  for await (const keys of pages(call, null)) await print(keys.flatMap((key) => known.update(key)));
  await print(['']);
  for (;;) {
    await wait(POLL_INTERVAL_MS);
    moment = await printChanges(call, moment, known);
  }
}

type Moment = z.infer<typeof DirectoryChanges>['moment'];

/** @returns the moment of the next changes */
async function printChanges(call: CallServer, since: Moment, known: KnownKeys): Promise<Moment> {
  const read = async (after: object | null) =>
    DirectoryChanges.parse(await call('directory.changes', { since, after }));
  const first = await read(null);
  for (let page = first; ; page = await read(page.next)) {
    await print(page.keys.flatMap((key) => known.update(key)));
    if (page.next === null) break;
  }
  for (const company of first.companies) {
    const ended = known.keysOf(company);
    for await (const keys of pages(call, company)) {
      for (const { key } of keys) ended.delete(key);
      await print(keys.flatMap((key) => known.update(key)));
    }
    await print([...ended].flatMap((key) => known.update({ company, key, hashes: [] })));
  }
  return first.moment;
}

/** Secrets that were printed, by company and key. */
class KnownKeys {
  readonly #hashes = new Map<number, Map<string, readonly string[]>>();

  /** @returns lines that say what is new and what has ended */
  update({ company, key, hashes }: Key): string[] {
    const keys = this.#hashes.get(company) ?? new Map<string, readonly string[]>();
    const before = keys.get(key) ?? [];
    if (hashes.length === 0) keys.delete(key);
    else this.#hashes.set(company, keys.set(key, hashes));
    const begun = hashes.filter((hash) => !before.includes(hash));
    const ended = before.filter((hash) => !hashes.includes(hash));
    return [...linesOf({ company, key, hashes: begun }), ...ended.map((hash) => `- ${hash}`)];
  }

  keysOf(company: number): Set<string> {
    return new Set(this.#hashes.get(company)?.keys());
  }
}

/** Pages of the list. @param company the only one to list; null for all */
async function* pages(call: CallServer, company: number | null): AsyncGenerator<readonly Key[]> {
  for (let after: object | null | undefined; after !== null;) {
    const page = DirectoryPage.parse(await call('directory.list', { company, after: after ?? null }));
    yield page.keys;
    after = page.next;
  }
}

/** Prints lines, and waits until the reader has taken them. */
async function print(lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  if (!process.stdout.write(`${lines.join('\n')}\n`)) await once(process.stdout, 'drain');
}
