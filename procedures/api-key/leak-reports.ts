import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { retryOnConflict } from '../../database/retry.ts';
import { Session } from '../../database/session.ts';
import { MAX_LEAKED_URL_LENGTH } from '../../entities/api-key/api-key.ts';
import { applyLeakReport, findKeyOwners, findSecrets, recordLeaks } from '../../entities/api-key/leaked-key.ts';
import { FrozenError } from '../../entities/company/freezing.ts';
import { hashRawKey, isRawKey, redactSecrets } from '../../entities/api-key/raw-key.ts';

/** Maximum number of hashes in one lookup. Most of them belong to no key. */
const LOOKUP_BATCH_SIZE = 2000;
/** Maximum number of keys in one update. */
const UPDATE_BATCH_SIZE = 500;
/** Maximum number of URLs of one secret that are stored from one report. Further URLs are ignored. */
const MAX_URLS_PER_SECRET = 20;
const MAX_TYPE_LENGTH = 100;

/** One finding of a report. Malformed fields become empty text, so that the other findings are still processed. */
const Finding = z
  .object({ token: z.string().catch(''), type: z.string().catch(''), url: z.string().catch('') })
  .catch({ token: '', type: '', url: '' });

/** Response for one finding. It contains the hash of the token, never the raw key. */
interface Verdict {
  /** SHA-256 in hexadecimal. */
  token_hash: string;
  token_type: string;
  label: 'true_positive' | 'false_positive';
}

/** Result of processing a report. */
interface LeakReportResult {
  /** One verdict for each finding, in the same order. */
  verdicts: Verdict[];
  /** Public ids of the keys in the report. */
  keyIds: string[];
}

/**
 * Finds the API keys in a report of leaked secrets, records the URLs, and disables the keys if the policy of their company
 * is `disable`. The operator is the principal of the changes. Processing is idempotent. See docs/contract.md, section 5.
 * @param report findings of the scanner; the caller has verified the signature
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
  let frozen: FrozenError | undefined;
  for (const [companyId, companyOwners] of Map.groupBy(owners, (owner) => owner.companyId)) {
    const session = rootSession.asOperator(companyId);
    const leaks = companyOwners.map(({ hash }) => ({ hash, urls: storedUrls(urlsByHash.get(hash)) }));
    try {
      for (const batch of splitIntoBatches(leaks, UPDATE_BATCH_SIZE)) await recordLeakBatch(session, batch);
    } catch (error) {
      if (!(error instanceof FrozenError)) throw error;
      frozen = error; // after the keys of the other companies: the scanner sends the report again
    }
  }
  if (frozen !== undefined) throw frozen;
  const knownHashes = new Set(owners.map(({ hash }) => hash));
  for (const verdict of verdicts) if (knownHashes.has(verdict.token_hash)) verdict.label = 'true_positive';
  return { verdicts, keyIds: [...new Set(owners.map(({ uniqueId }) => uniqueId))] };
}

interface Leak {
  hash: string;
  urls: (string | null)[];
}

/** Records leaks with one update for each position in the lists of URLs, because each URL needs its own audit event. */
async function recordLeakBatch(session: Session, leaks: readonly Leak[]): Promise<void> {
  const maxUrls = Math.max(...leaks.map(({ urls }) => urls.length));
  for (let index = 0; index < maxUrls; index++) {
    const urlsByHash = new Map(
      leaks.filter(({ urls }) => index < urls.length).map(({ hash, urls }) => [hash, urls[index] ?? null]),
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
      // A retry skips the rows written here, because applyLeakReport returns null for them.
      return written.length === changed.length ? secrets : undefined;
    });
  }
}

function splitIntoBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The URLs to store; a single null if the report contains none. */
function storedUrls(urls: ReadonlySet<string> = new Set()): (string | null)[] {
  const stored = [...urls].filter((url) => url !== '').slice(0, MAX_URLS_PER_SECRET);
  return stored.length > 0 ? stored : [null];
}

/** Removes control characters and raw keys from external text, and truncates it. */
function sanitizeText(text: string, maxLength: number): string {
  const printable = text.replaceAll(/\p{Cc}+/gu, '').trim();
  return redactSecrets(printable).slice(0, maxLength).toWellFormed();
}
