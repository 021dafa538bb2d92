import { z } from 'zod';
import { LEAKED_URL_LENGTH } from '../entities/api-key.ts';
import { change } from '../entities/database/change.ts';
import type { Database } from '../entities/database/database.ts';
import { Session } from '../entities/database/session.ts';
import { afterLeak } from '../entities/leak.ts';
import { hashRawKey, isRawKey, withoutRawKeys } from '../entities/raw-key.ts';
import { ownersOfHashes, recordLeaks, secretsByHashes } from '../entities/statements/leaked-key.ts';

/** Hashes in one statement: where most are nobody's, and where all are keys that may be changed. */
const LOOKED_UP = 2000;
const CHANGED = 500;
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
    const hash = hashRawKey(token);
    verdicts.push({ token_hash: hash, token_type: storable(type, TYPE_LENGTH), label: 'false_positive' });
    if (isRawKey(token)) urlsOf.set(hash, (urlsOf.get(hash) ?? new Set()).add(storable(url, LEAKED_URL_LENGTH)));
  }

  const nobody = new Session(database, null, requestId);
  const found = [];
  for (const hashes of inBatches([...urlsOf.keys()], LOOKED_UP)) {
    found.push(...(await nobody.run(ownersOfHashes, { hashes })));
  }
  for (const [companyId, owned] of Map.groupBy(found, (one) => one.companyId)) {
    const session = nobody.asOperator(companyId);
    const leaks = owned.map(({ hash }) => ({ hash, places: placesOf(urlsOf.get(hash)) }));
    for (const batch of inBatches(leaks, CHANGED)) await record(session, batch);
  }
  const ours = new Set(found.map(({ hash }) => hash));
  for (const verdict of verdicts) if (ours.has(verdict.token_hash)) verdict.label = 'true_positive';
  return { verdicts, keys: [...new Set(found.map(({ uniqueId }) => uniqueId))] };
}

interface Leak {
  hash: string;
  places: (string | null)[];
}

/** One place of each secret at a time, as each is an event of its own. */
async function record(session: Session, leaks: readonly Leak[]): Promise<void> {
  const most = Math.max(...leaks.map(({ places }) => places.length));
  for (let nth = 0; nth < most; nth++) {
    const urls = new Map(
      leaks.filter(({ places }) => nth < places.length).map(({ hash, places }) => [hash, places[nth] ?? null]),
    );
    await change(async () => {
      const secrets = await session.run(secretsByHashes, { hashes: [...urls.keys()] });
      const changed = secrets.flatMap((secret) => {
        const url = urls.get(secret.hash) ?? null;
        const after = afterLeak(secret, url);
        return after === null ? [] : [{ ...secret, ...after, url }];
      });
      const written =
        changed.length === 0
          ? []
          : await session.run(recordLeaks, {
              uniqueIds: changed.map(({ uniqueId }) => uniqueId),
              rowVersions: changed.map(({ rowVersion }) => rowVersion),
              urls: changed.map(({ url }) => url),
              enabled: changed.map(({ enabled }) => enabled),
            });
      if (written.length > 0) session.keysChanged();
      // What is written has nothing to do when it is read again; what is not, is tried again.
      return written.length === changed.length ? secrets : undefined;
    });
  }
}

function inBatches<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/** The places that are kept; null, for none, where none is named. */
function placesOf(urls: ReadonlySet<string> = new Set()): (string | null)[] {
  const named = [...urls].filter((url) => url !== '').slice(0, PLACES_MOST);
  return named.length > 0 ? named : [null];
}

/** Text from outside as it may be kept and shown: without raw keys and control characters, and bounded. */
function storable(text: string, length: number): string {
  const printable = text.replaceAll(/\p{Cc}+/gu, '').trim();
  return withoutRawKeys(printable).slice(0, length).toWellFormed();
}
