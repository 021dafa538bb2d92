import { isDeepStrictEqual } from 'node:util';
import { sendRequest } from '../../support/http/client.ts';
import { seededRandom } from '../faults/workload/random.ts';
import { verifyChains } from './checks.ts';
import type { Chain } from './checks.ts';
import { changedAuditRows, differences, readContents, volatileColumns } from './contents.ts';
import type { Contents } from './contents.ts';
import { prepareData } from './prepared-data.ts';
import { killStart, withService } from './service.ts';
import { embeddedData, postgreSqlData } from './stored-data.ts';
import type { StoredData } from './stored-data.ts';
import type { InstalledVersion } from './version-before.ts';

/** The version before starts on the data that the kill left in each of these rounds. */
const OLDER_START_INTERVAL = 10;

/** Result of all rounds on one database. */
export interface KillResult {
  database: string;
  /** Duration of an upgrade without a kill, from the start of the process until it listens. */
  durationMs: number;
  rounds: number;
  /** Rounds by the state of the upgrade at the kill. */
  states: Map<string, number>;
  olderStarts: { tried: number; succeeded: number };
  findings: string[];
}

interface KillOptions {
  rounds: number;
  seed: number;
  print: (line: string) => void;
}

/** Kills upgrades of the data of a version at random moments, on both databases. */
export async function killUpgrades(
  serverUrl: string,
  before: InstalledVersion,
  after: InstalledVersion,
  options: KillOptions,
): Promise<KillResult[]> {
  const killOn = async (database: string, prepared: StoredData) => {
    try {
      const key = await prepareData(prepared, before);
      return await killRounds(database, { prepared, key, before, after }, options);
    } finally {
      await prepared.remove();
    }
  };
  return Promise.all([killOn('PGlite', await embeddedData()), killOn('PostgreSQL', await postgreSqlData(serverUrl))]);
}

interface Upgrade {
  contents: Contents;
  chains: Chain[];
}

/** Starts a version on the data, stops it, and reads what it made of them. */
async function upgrade(data: StoredData, after: InstalledVersion, companies: readonly number[]): Promise<Upgrade> {
  const chains = await withService(data, after, (url) => verifyChains(url, companies));
  return { contents: await data.read(readContents), chains };
}

/** Runs `work` with a copy of the data. */
async function withCopy<T>(data: StoredData, work: (copy: StoredData) => Promise<T>): Promise<T> {
  const copy = await data.copy();
  try {
    return await work(copy);
  } finally {
    await copy.remove();
  }
}

const countMigrations = ({ tables }: Contents) => tables.get('mikro_orm_migrations')?.length ?? 0;

/** Measures the time from the start of a process to its first line, in three upgrades. Returns the median. */
async function upgradeTime(prepared: StoredData, after: InstalledVersion): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run++) times.push(await withCopy(prepared, (copy) => killStart(copy, after, Infinity)));
  return times.toSorted((one, other) => one - other)[1] ?? 0;
}

interface Versions {
  prepared: StoredData;
  key: string;
  before: InstalledVersion;
  after: InstalledVersion;
}

async function killRounds(
  database: string,
  { prepared, key, before, after }: Versions,
  { rounds, seed, print }: KillOptions,
): Promise<KillResult> {
  const random = seededRandom(seed);
  const original = await withCopy(prepared, (copy) => copy.read(readContents));
  const companies = (original.tables.get('company') ?? []).map(({ id }) => Number(id));
  const first = await withCopy(prepared, (copy) => upgrade(copy, after, companies));
  const second = await withCopy(prepared, (copy) => upgrade(copy, after, companies));
  const ignored = volatileColumns(first.contents, second.contents);
  const durationMs = await upgradeTime(prepared, after);
  const migrations = { before: countMigrations(original), after: countMigrations(first.contents) };
  const result: KillResult = {
    database,
    durationMs,
    rounds,
    states: new Map(),
    olderStarts: { tried: 0, succeeded: 0 },
    findings: [
      ...differences(first.contents, second.contents, ignored),
      ...changedAuditRows(original, first.contents),
    ].map((text) => `without a kill: ${text}`),
  };
  print(`${database}: an upgrade takes ${Math.round(durationMs)} ms; ignored: ${[...ignored].join(', ') || 'nothing'}`);

  for (let round = 1; round <= rounds; round++) {
    // The migration comes last, so late moments are more frequent.
    const killAfterMs = Math.sqrt(random.next()) * durationMs;
    await withCopy(prepared, async (data) => {
      await killStart(data, after, killAfterMs);
      const state = await data.describeState(migrations);
      result.states.set(state, (result.states.get(state) ?? 0) + 1);
      const findings: string[] = [];
      if (round % OLDER_START_INTERVAL === 0) {
        const finding = await withCopy(data, (copy) => findOlderError(copy, before, key));
        result.olderStarts.tried += 1;
        if (finding === undefined) result.olderStarts.succeeded += 1;
        else findings.push(finding);
      }
      findings.push(...(await findErrors(data)));
      const outcome = findings.length === 0 ? 'as without a kill' : findings.join('; ');
      print(`${database} ${round}: killed after ${Math.round(killAfterMs)} ms, ${state}: ${outcome}`);
      result.findings.push(...findings.map((text) => `round ${round}: ${text}`));
    });
  }
  return result;

  /** Starts the newer version on the data that a kill left, and compares. */
  async function findErrors(data: StoredData): Promise<string[]> {
    try {
      const { contents, chains } = await upgrade(data, after, companies);
      const areEqual = isDeepStrictEqual(withoutVolatile(chains), withoutVolatile(first.chains));
      return [
        ...differences(first.contents, contents, ignored),
        ...changedAuditRows(original, contents),
        ...(areEqual ? [] : [`audit logs: ${JSON.stringify(chains)}`]),
      ];
    } catch (error) {
      return [String(error)];
    }
  }

  /** Leaves the head out if an upgrade adds events, because these have the time of the upgrade. */
  function withoutVolatile(chains: readonly Chain[]): unknown[] {
    const isStable = isDeepStrictEqual(first.chains, second.chains);
    return chains.map(({ intact, sealed, head }) => [intact, sealed, isStable ? head : head?.seq]);
  }
}

/** Starts the version before on the data, and creates a vendor. @returns the error */
async function findOlderError(data: StoredData, before: InstalledVersion, key: string): Promise<string | undefined> {
  try {
    const status = await withService(data, before, async (url) => {
      const headers = { 'X-API-Key': key };
      const body = { name: 'Created by the older version' };
      return (await sendRequest(`${url}/external/smart-inventory/vendor/new`, { method: 'POST', headers, body }))
        .status;
    });
    return status === 201 ? undefined : `${before.version}: a new vendor gets ${status}`;
  } catch (error) {
    return String(error);
  }
}
