import { isId, isUniqueId } from '../../entities/ids.ts';
import { MissingBytesError } from '../../procedures/core/storage.ts';
import type { FileKey } from '../../procedures/core/storage.ts';

/** Path of a file in a store, relative to its folder or prefix. @throws Error if the key has another form */
export function keyPath({ company, uniqueId }: FileKey): string {
  if (!isId(company) || !isUniqueId(uniqueId)) throw new Error('file: expected the key of a file');
  return `${company}/${uniqueId}`;
}

/** Parses such a path; undefined if it is not one of a file. */
export function parseKeyPath(path: string): FileKey | undefined {
  const [company = '', uniqueId = '', ...others] = path.split('/');
  if (!/^[1-9]\d{0,9}$/.test(company) || !isId(Number(company)) || !isUniqueId(uniqueId) || others.length > 0)
    return undefined;
  return { company: Number(company), uniqueId };
}

/** Error of a store that has fewer bytes than the range of a read. */
export const missingBytes = (key: FileKey) =>
  new MissingBytesError(`file ${keyPath(key)}: expected more bytes in the store`);
