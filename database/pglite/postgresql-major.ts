/** Major version of PostgreSQL in the pinned package of the embedded database. It opens only files of the same one. */
export const POSTGRESQL_MAJOR = 18;
