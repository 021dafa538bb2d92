import { join } from 'node:path';

/** Name of the folder of stored files inside the data directory. PostgreSQL ignores names that are not its own. */
export const FILES_FOLDER = 'files';

/**
 * Folder of stored files inside the data directory of the embedded database, so that whatever moves or copies the database takes
 * both. A file has its final content when it gets its name there, and never changes.
 */
export const filesFolder = (databaseFolder: string) => join(databaseFolder, FILES_FOLDER);
