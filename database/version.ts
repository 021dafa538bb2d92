import packageJson from '../package.json' with { type: 'json' };

/** Name of the product. */
export const NAME = packageJson.name;

/** Version of this code: three numbers (https://semver.org). */
export const VERSION = packageJson.version;

/** True if a version precedes another one. */
export const isOlder = (version: string, other: string): boolean =>
  version.localeCompare(other, 'en', { numeric: true }) < 0;

/** Major version of PostgreSQL in the pinned package of the embedded database. It opens only files of the same one. */
export const POSTGRESQL_MAJOR = 18;
