import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';

const DOCS = new URL('../../../docs/', import.meta.url);

/** Describes how a result was obtained: date, machine, versions and command. */
export function provenance(command: string, runtime: string): string {
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${new Date().toISOString().slice(0, 10)}, ${machine}, ${runtime}, Node ${process.versions.node}: \`${command}\`.`;
}

/** Writes a section of a page in `docs/`. Replaces the section with the same title, or appends it. */
export function writeReportSection(title: string, body: string, page = 'operations/fault-tests.md'): void {
  const file = new URL(page, DOCS);
  const text = readFileSync(file, 'utf8');
  const start = text.search(new RegExp(`^## ${title}$`, 'm'));
  const end = text.slice(start + 1).search(/^## /m);
  const before = start < 0 ? `${text.trimEnd()}\n\n` : text.slice(0, start);
  const after = start < 0 || end < 0 ? '' : `\n${text.slice(start + 1 + end)}`;
  writeFileSync(file, `${before}## ${title}\n\n${body.trim()}\n${after}`);
}
