import { z } from 'zod';
import { MAX_LEAKED_URL_LENGTH } from '../../entities/api-key/api-key.ts';
import { retryOnConflict } from '../../database/retry.ts';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { applyLeakReport } from '../../entities/api-key/leaked-key.ts';
import { hashRawKey, isRawKey, redactRawKeys } from '../../entities/api-key/raw-key.ts';
import { findKeyOwners, recordLeaks, findSecrets } from '../../entities/statements/leaked-key.ts';

/** Hashes in one statement: where most are nobody's, and where all are keys that may be changed. */
const LOOKUP_BATCH_SIZE = 2000;
const UPDATE_BATCH_SIZE = 500;
/** Places of one secret that one report can add; those after the first so many are not kept. */
const MAX_URLS_PER_SECRET = 20;
const MAX_TYPE_LENGTH = 100;

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
interface LeakReportResult {
  /** One for each finding, in their order. */
  verdicts: Verdict[];
  /** Public ids of the keys that were found. */
  keyIds: string[];
}

/**
 * Says which tokens of a report are keys of ours, records on those where they leaked, and disables them where their
 * company wants that. Doing it again changes nothing. It is done as the operator. Contract, section 5.
 * @param report what a scanner says it found; whoever calls has made sure that it is the scanner
 */
export async function processLeakReport(
  database: Database,
  requestId: string,
  report: readonly unknown[],
): Promise<LeakReportResult> {
  const verdicts: Verdict[] = [];
  const urlsByHash = new Map<string, Set<string>>();
  for (const entry of report) {
    const { token, type, url } = Finding.parse(entry);
    const hash = hashRawKey(token);
    verdicts.push({ token_hash: hash, token_type: sanitizeText(type, MAX_TYPE_LENGTH), label: 'false_positive' });
    if (isRawKey(token))
      urlsByHash.set(hash, (urlsByHash.get(hash) ?? new Set()).add(sanitizeText(url, MAX_LEAKED_URL_LENGTH)));
  }

  const rootSession = new Session(database, null, requestId);
  const owners = [];
  for (const hashes of splitIntoBatches([...urlsByHash.keys()], LOOKUP_BATCH_SIZE)) {
    owners.push(...(await rootSession.run(findKeyOwners, { hashes })));
  }
  for (const [companyId, companyOwners] of Map.groupBy(owners, (owner) => owner.companyId)) {
    const session = rootSession.asOperator(companyId);
    const leaks = companyOwners.map(({ hash }) => ({ hash, urls: storedUrls(urlsByHash.get(hash)) }));
    for (const batch of splitIntoBatches(leaks, UPDATE_BATCH_SIZE)) await recordLeakBatch(session, batch);
  }
  const knownHashes = new Set(owners.map(({ hash }) => hash));
  for (const verdict of verdicts) if (knownHashes.has(verdict.token_hash)) verdict.label = 'true_positive';
  return { verdicts, keyIds: [...new Set(owners.map(({ uniqueId }) => uniqueId))] };
}

interface Leak {
  hash: string;
  urls: (string | null)[];
}

/** One place of each secret at a time, as each is an event of its own. */
async function recordLeakBatch(session: Session, leaks: readonly Leak[]): Promise<void> {
  const maxUrls = Math.max(...leaks.map(({ urls: places }) => places.length));
  for (let index = 0; index < maxUrls; index++) {
    const urlsByHash = new Map(
      leaks
        .filter(({ urls: places }) => index < places.length)
        .map(({ hash, urls: places }) => [hash, places[index] ?? null]),
    );
    await retryOnConflict(async () => {
      const secrets = await session.run(findSecrets, { hashes: [...urlsByHash.keys()] });
      const changed = secrets.flatMap((secret) => {
        const url = urlsByHash.get(secret.hash) ?? null;
        const after = applyLeakReport(secret, url);
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
      if (written.length > 0) session.invalidateApiKeys();
      // What is written has nothing to do when it is read again; what is not, is tried again.
      return written.length === changed.length ? secrets : undefined;
    });
  }
}

function splitIntoBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The places that are kept; null, for none, where none is named. */
function storedUrls(urls: ReadonlySet<string> = new Set()): (string | null)[] {
  const namedUrls = [...urls].filter((url) => url !== '').slice(0, MAX_URLS_PER_SECRET);
  return namedUrls.length > 0 ? namedUrls : [null];
}

/** Text from outside as it may be kept and shown: without raw keys and control characters, and bounded. */
function sanitizeText(text: string, maxLength: number): string {
  const printable = text.replaceAll(/\p{Cc}+/gu, '').trim();
  return redactRawKeys(printable).slice(0, maxLength).toWellFormed();
}
