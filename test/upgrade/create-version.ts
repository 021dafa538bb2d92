import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { knownMigrations } from '../../database/orm/migrations.ts';
import versions from '../../migrations/versions.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };
import { createFixture } from './scenario/create-fixture.ts';

// npm run version:create -- <patch|minor|major> [--data-dir]: makes a version of the working tree: its number in every package, its
// section of the changelog, its last migration, and its fixture. --data-dir also packs DATA_DIR, which a new major version of PostgreSQL in the
// embedded database needs.

const root = join(import.meta.dirname, '..', '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'data-dir': { type: 'boolean', default: false } },
});
const [part = ''] = positionals;
if (!['patch', 'minor', 'major'].includes(part)) throw new Error('version: expected patch, minor or major');

const CHANGELOG = join(root, 'CHANGELOG.md');
const changelog = await readFile(CHANGELOG, 'utf8');
if (!changelog.includes('\n## Unreleased\n')) throw new Error('CHANGELOG.md: expected the section "## Unreleased"');

const npmVersion = ['version', part, '--no-git-tag-version', '--no-workspaces-update', '--ignore-scripts'];
const version = execFileSync('npm', npmVersion, { cwd: root, encoding: 'utf8' }).trim().replace(/^v/, '');
execFileSync('npm', ['pkg', 'set', `version=${version}`, '--workspaces'], { cwd: root });
await setVersionOfWorkspaces(join(root, 'package-lock.json'));
const today = new Date().toISOString().slice(0, 10);
await writeFile(CHANGELOG, changelog.replace('\n## Unreleased\n', `\n## ${version}, ${today}\n`));
const last = (await knownMigrations()).toSorted().at(-1);
const all = { ...versions, [version]: last };
await writeFile(join(root, 'migrations', 'versions.json'), `${JSON.stringify(all, null, 2)}\n`);
process.stdout.write(`${version}: ${await createFixture(root, values['data-dir'])}\n`);
process.exit(); // connections of receivers may be open

/** Writes the version of each workspace into the lock file. `npm version --workspaces` does not, or installs packages too. */
async function setVersionOfWorkspaces(file: string): Promise<void> {
  const lock = JSON.parse(await readFile(file, 'utf8')) as { packages: Record<string, object> };
  for (const workspace of packageJson.workspaces) Object.assign(lock.packages[workspace] ?? {}, { version });
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
}
