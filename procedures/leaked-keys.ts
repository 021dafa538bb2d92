import { z } from 'zod';
import { LEAKED_URL_LENGTH } from '../entities/api-key.ts';
import { change } from '../entities/database/change.ts';
import type { Database } from '../entities/database/database.ts';
import { Session, operatorOf } from '../entities/database/session.ts';
import { afterLeak } from '../entities/leak.ts';
import { hashRawKey, isRawKey, withoutRawKeys } from '../entities/raw-key.ts';
import { recordLeak, secretsByHashes } from '../entities/statements/leaked-key.ts';
import type { SecretRow } from '../entities/statements/leaked-key.ts';

/** Hashes in one look-up. */
const BATCH = 2000;
/** Places of one secret that one report can add; those after the first so many are not kept. */
const PLACES_MOST = 20;
const TYPE_LENGTH = 100;

/** What was found, as far as it can be read: what cannot is empty, and spoils nothing else of its report. */
const Finding = z
  .object({ token: z.string().catch(''), type: z.string().catch(''), url: z.string().catch('') })
  .catch({ token: '', type: '', url: '' });

/** What the scanner is told of one finding, by the hash of its token: no raw key is in an answer. */
interface Verdict {
  /** SHA-256 in hexadecimal. */
  token_hash: string;
  token_type: string;
  label: 'true_positive' | 'false_positive';
}

/** What a report comes to. */
interface Judged {
  /** One for each finding, in their order. */
  verdicts: Verdict[];
  /** Public ids of the keys that were found. */
  keys: string[];
}

/**
 * Says which tokens of a report are keys of ours, records on those where they leaked, and disables them where their
 * company wants that. Doing it again changes nothing. It is done as the operator. Contract, section 5.
 * @param report what a scanner says it found; whoever calls has made sure that it is the scanner
 */
export async function judgeReport(database: Database, requestId: string, report: readonly unknown[]): Promise<Judged> {
  const verdicts: Verdict[] = [];
  const urlsOf = new Map<string, Set<string>>();
  for (const entry of report) {
    const { token, type, url } = Finding.parse(entry);
    const hash = hashRawKey(token).toString('hex');
    verdicts.push({ token_hash: hash, token_type: storable(type, TYPE_LENGTH), label: 'false_positive' });
    if (isRawKey(token)) urlsOf.set(hash, (urlsOf.get(hash) ?? new Set()).add(storable(url, LEAKED_URL_LENGTH)));
  }

  const known = new Session(database, null, requestId);
  const secrets = new Map<string, SecretRow>();
  const hashes = [...urlsOf.keys()];
  for (let start = 0; start < hashes.length; start += BATCH) {
    const rows = await known.run(secretsByHashes, { hashes: hashes.slice(start, start + BATCH) });
    for (const row of rows) secrets.set(row.hash, row);
  }

  for (const { hash, companyId } of secrets.values()) {
    const session = new Session(database, operatorOf(companyId), requestId);
    for (const url of placesOf(urlsOf.get(hash) ?? new Set())) await record(session, hash, url);
  }
  for (const verdict of verdicts) if (secrets.has(verdict.token_hash)) verdict.label = 'true_positive';
  return { verdicts, keys: [...new Set([...secrets.values()].map(({ uniqueId }) => uniqueId))] };
}

async function record(session: Session, hash: string, url: string | null): Promise<void> {
  await change(
    async () => (await session.first(secretsByHashes, { hashes: [hash] })) ?? null,
    async (secret) => {
      const after = secret && afterLeak(secret, url);
      if (secret === null || after === null) return secret;
      const { uniqueId, rowVersion } = secret;
      return (await session.first(recordLeak, { uniqueId, rowVersion, url, ...after })) && secret;
    },
  );
}

/** The places that are kept; null, for none, where none is named. */
function placesOf(urls: ReadonlySet<string>): (string | null)[] {
  const named = [...urls].filter((url) => url !== '').slice(0, PLACES_MOST);
  return named.length > 0 ? named : [null];
}

/** Text from outside as it may be kept and shown: without raw keys and control characters, and bounded. */
function storable(text: string, length: number): string {
  const printable = text.replaceAll(/\p{Cc}+/gu, '').trim();
  return withoutRawKeys(printable).slice(0, length).toWellFormed();
}
