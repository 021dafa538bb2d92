import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { AnySession } from './context.ts';
import type { Services } from './services.ts';
import type { Storage } from './storage.ts';

/** Fingerprints of the secrets that two cells must have in common. Contract, section 23. */
export interface CellKeys {
  cursor: string;
  encryption: string[];
  signing: string | null;
}

/** Proves knowledge of the secret that all cells share. @param text that a cell confirms to another one */
export async function confirmation(session: AnySession, text: string): Promise<string> {
  return createHmac('sha256', await session.installation.cursorSecret())
    .update(`cell ${text}`)
    .digest('hex');
}

/** True if a cell with the same secret has confirmed the text. */
export async function isConfirmed(session: AnySession, text: string, given: string): Promise<boolean> {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', await confirmation(session, text), 'buffer'));
}

export async function cellKeys(session: AnySession, { encryption, signing }: Services): Promise<CellKeys> {
  return {
    cursor: await confirmation(session, 'cursor'),
    encryption: encryption?.keyIds ?? [],
    signing: signing?.current.keyId ?? null,
  };
}

/**
 * Identifies buckets and prefixes with files of this cell: the present ones, and others. New files of another cell must not go to one of
 * them.
 */
export async function storeNames(
  session: AnySession,
  { endpoint, place }: Pick<Storage, 'endpoint' | 'place'> = {},
  others: readonly string[] = [],
): Promise<string[]> {
  if (endpoint === undefined || place === undefined) return [];
  return Promise.all([...new Set([place, ...others])].map((one) => confirmation(session, `store ${endpoint}/${one}`)));
}

/** Identifies this cell: another database has another secret. */
export const cellName = async (session: AnySession): Promise<string> =>
  hash('sha256', Buffer.concat([Buffer.from('cell'), await session.installation.unsubscribeSecret()]));
