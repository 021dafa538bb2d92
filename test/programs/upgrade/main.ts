import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { provenance } from '../../support/reports/report-section.ts';
import { currentVersion, installVersionBefore, installedVersion } from './version-before.ts';
import { killUpgrades } from './kills.ts';
import { killsTable, phasesTable } from './report.ts';
import { upgradeSideBySide } from './upgrade.ts';

// Runs the version before and this one side by side on one PostgreSQL under load: upgrades two processes one by one, and goes
// back. With `kills`, kills upgrades at random moments on both databases, and compares what the next starts make of the data.
// npm run program -- upgrade [--tasks <number>] [--before <folder>]
// npm run program -- upgrade kills [--rounds <number>] [--seed <number>] [--before <folder>]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Folder with the installed code of another version than the one before. */
    before: { type: 'string' },
    tasks: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const serverUrl = process.env['DATABASE_URL'] ?? 'postgresql://postgres@127.0.0.1:5432/postgres';
const folder = mkdtempSync(join(tmpdir(), 'version-before-'));
try {
  const before = values.before === undefined ? await installVersionBefore(folder) : installedVersion(values.before);
  const after = currentVersion;
  print(`${before.version} in ${before.folder}, ${after.version} in ${after.folder}`);
  if (positionals.includes('kills')) {
    const options = { rounds: Number(values.rounds), seed: Number(values.seed), print };
    const results = await killUpgrades(serverUrl, before, after, options);
    print(
      `\n${provenance(`npm run program -- upgrade kills --rounds ${values.rounds} --seed ${values.seed}`, 'PostgreSQL')}\n`,
    );
    print(killsTable(results));
    if (results.some(({ findings }) => findings.length > 0)) process.exitCode = 1;
  } else {
    const { phases, checks } = await upgradeSideBySide(serverUrl, before, after, Number(values.tasks));
    print(`\n${provenance(`npm run program -- upgrade --tasks ${values.tasks}`, 'PostgreSQL')}\n`);
    print(phasesTable(phases, checks));
    const failures = phases.flatMap((phase) => phase.failures);
    for (const failure of failures.slice(0, 20)) print(failure);
    const isBroken = failures.length > 0 || checks.some(({ isMet }) => !isMet);
    if (isBroken || phases.some(({ isRestart, resent }) => !isRestart && resent > 0)) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
