import { ApiError } from '../../entities/api-error.ts';

/** Error of a store that does not respond, or reports a failure. The cause is only logged, so it must have no secret. */
export const unavailable = (cause: unknown) =>
  new ApiError('unavailable', 'The file storage is unavailable. Try again shortly.', { cause });

/** @returns an ApiError 503 for an error of the operating system, such as a full disk; other errors as they are */
export const asStorageError = (error: unknown): unknown => (errnoOf(error) === undefined ? error : unavailable(error));

/** Code of an error of the operating system. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** Runs file operations, whose errors become an ApiError 503. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asStorageError(error);
  }
}
