import { vi } from 'vitest';
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
  for (const store of await manage<string[]>(url, 'evidence.stores', {}))
    result.problems.push(...(await manage<Problem[]>(url, 'evidence.unknown', { store })));
  return result;
}
