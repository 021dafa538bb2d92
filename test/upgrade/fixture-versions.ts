import versions from '../../migrations/versions.json' with { type: 'json' };

const DAY_MS = 86_400_000;
/** Versions with a fixture, the oldest first. */
export const FIXTURE_VERSIONS = Object.keys(versions);

/** A version from which a test upgrades, and why it does today. */
type Chosen = [version: string, reason: string];

/** The versions from which the gate upgrades at a time: the first one, the last two, and one more in turn, by the day. */
export function versionsAt(time: Date, all: readonly string[] = FIXTURE_VERSIONS): Chosen[] {
  const between = all.slice(1, -2);
  const inTurn = between[Math.floor(time.getTime() / DAY_MS) % between.length];
  return all.flatMap((version, index): Chosen[] => {
    if (index === 0) return [[version, 'the first']];
    if (index >= all.length - 2) return [[version, 'one of the last two']];
    return version === inTurn ? [[version, `in turn on ${time.toISOString().slice(0, 10)}`]] : [];
  });
}

/** The versions from which this run upgrades: those of today, or with FIXTURES=all all (`npm run test:fixtures`). */
export const chosenVersions = (): Chosen[] =>
  process.env['FIXTURES'] === 'all' ? FIXTURE_VERSIONS.map((version) => [version, 'all']) : versionsAt(new Date());
