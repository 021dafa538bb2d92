import { vi } from 'vitest';
import { FIRST_ID } from '../../../entities/ids.ts';
import type { AnySession } from '../../../procedures/core/context.ts';
import type { Storage } from '../../../procedures/core/storage.ts';
import { moveFiles, reachableLocations } from '../../../procedures/evidence/moving.ts';
import { findUnknown, verifyFiles } from '../../../procedures/evidence/verification.ts';
import { callManagement } from '../http/client.ts';

interface Problem {
  problem: string;
}
interface Verified {
  files: number;
  problems: Problem[];
  next: object | null;
}

/** Calls a procedure again while the database is busy. */
export const manage = <T>(...call: Parameters<typeof callManagement>): Promise<T> =>
  vi.waitFor(() => callManagement<T>(...call), { timeout: 60_000, interval: 500 });

/** Reads every page of the verification. */
export async function verify(url: string) {
  const result = { files: 0, problems: new Array<Problem>() };
  for (let position: object | null = {}; position !== null;) {
    const verified: Verified = await manage(url, 'evidence.verify', { position });
    result.files += verified.files;
    result.problems.push(...verified.problems);
    position = verified.next;
  }
  for (const location of await manage<object[]>(url, 'evidence.stores', {}))
    result.problems.push(...(await manage<Problem[]>(url, 'evidence.unknown', location)));
  return result;
}

/** Moves every file to the place of today of a process. @returns their number */
export async function moveAll(session: AnySession, storage: Storage): Promise<number> {
  let moved = 0;
  for (let isDone = false; !isDone;) {
    const step = await moveFiles(session, storage);
    moved += step.moved;
    ({ isDone } = step);
  }
  return moved;
}

/** What a verification without a server finds. */
export async function problemsIn(session: AnySession, storage: Storage): Promise<unknown[]> {
  const found = (await verifyFiles(session, storage, { afterCompany: 0, afterId: FIRST_ID })).problems;
  for (const location of await reachableLocations(session, storage))
    found.push(...(await findUnknown(session, storage, location)));
  return found;
}
