import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Name of the folder of stored files inside the data directory. PostgreSQL ignores names that are not its own. */
export const FILES_FOLDER = 'files';

/**
 * Folder of stored files inside the data directory of the embedded database, so that every move or copy of the database includes
 * both. It has a folder for each company. A file has its final content when it gets its name there, and never changes.
 */
export const filesFolder = (databaseFolder: string) => join(databaseFolder, FILES_FOLDER);

/**
 * Makes a copy of a data directory have the same stored files: links those that it lacks, and removes those that are gone. A link
 * takes no space, and keeps the content of a file that is removed later.
 */
export async function linkStoredFiles(databaseFolder: string, copy: string): Promise<void> {
  const [source, target] = [filesFolder(databaseFolder), filesFolder(copy)];
  for (const company of new Set([...(await namesIn(source)), ...(await namesIn(target))])) {
    const folder = join(target, company);
    const [names, linked] = await Promise.all([namesIn(join(source, company)), namesIn(folder)]);
    if (names.size > 0) await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of names) if (!linked.has(name)) await linkFile(join(source, company, name), join(folder, name));
    for (const name of linked) if (!names.has(name)) await rm(join(folder, name));
  }
}

/** Names in a folder. A missing one has none. */
const namesIn = async (folder: string): Promise<Set<string>> =>
  new Set(
    await readdir(folder).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }),
  );

/** Links a file, or copies it if the file system has no links, or no more of them. One that is removed meanwhile is left out. */
async function linkFile(file: string, target: string): Promise<void> {
  try {
    await link(file, target).catch(async (error: unknown) => {
      if (!NO_LINK.has(codeOf(error))) throw error;
      await copyFile(file, target);
    });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Errors of link(2): another file system, no support for links, and the maximum number of links. */
const NO_LINK = new Set<unknown>(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
