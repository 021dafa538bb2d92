import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { ProofError, verifyProof } from '../../../../procedures/proof/verify/verify.mjs';
import type {
  ProofOptions,
  ProofPlatform,
  ProofResult,
  ProofSource,
} from '../../../../procedures/proof/verify/verify.mjs';
import type { CheckMessage, CheckRequest } from './messages.ts';

/** Functions of browsers for the verifier. WebCrypto is missing on pages without TLS, and has no incremental SHA-256. */
const browserPlatform: ProofPlatform = {
  sha256: () => sha256.create(),
  inflate,
  verify: (key, signature, bytes) => ed25519.verify(signature, bytes, key, { zip215: false }),
};

type Chunks = AsyncIterable<Uint8Array<ArrayBuffer>>;

/** Inflates raw deflate. The stream rejects data that break off, and bytes after their end. */
async function* inflate(chunks: Chunks): Chunks {
  const iterator = chunks[Symbol.asyncIterator]();
  const compressed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  const reader = compressed.pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

// Verifies a proof in a thread of its own, so that the page stays quick. Its policy permits no request (page-headers.ts).

/** Milliseconds between two messages about the progress. */
const PROGRESS_MS = 100;
const UNKNOWN_KEY = /^signing-key\.pem: .* is none of the given keys$/;

/** @param onError receives an error of the disk, for which the proof is not at fault */
const sourceOf = (file: File, onError: (error: unknown) => void): ProofSource => ({
  size: file.size,
  read: async (start, end) => {
    try {
      return new Uint8Array(await file.slice(start, end).arrayBuffer());
    } catch (error) {
      onError(error);
      throw error;
    }
  },
});

/** Verifies with the keys of the installation. A proof with another key is verified all the same; the result says so. */
async function verify(source: ProofSource, keys: string | undefined, options: ProofOptions): Promise<ProofResult> {
  if (keys === undefined) return verifyProof(source, browserPlatform, options);
  try {
    return await verifyProof(source, browserPlatform, { ...options, keys: [keys] });
  } catch (error) {
    if (!(error instanceof ProofError && UNKNOWN_KEY.test(error.message))) throw error;
    return verifyProof(source, browserPlatform, options);
  }
}

async function check({ proof, checkpoint, keys }: CheckRequest, send: (message: CheckMessage) => void): Promise<void> {
  let sentAt = 0;
  let isUnreadable = false;
  const source = sourceOf(proof, () => (isUnreadable = true));
  const progress = (read: number, total: number) => {
    const now = performance.now();
    if (now - sentAt < PROGRESS_MS) return;
    sentAt = now;
    send({ type: 'progress', share: read / total });
  };
  try {
    send({ type: 'holds', result: await verify(source, keys, { checkpoint, progress }) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({ type: error instanceof ProofError && !isUnreadable ? 'fault' : 'error', message });
  }
}

addEventListener('message', ({ data, ports: [port] }: MessageEvent<CheckRequest>) => {
  void check(data, (message) => port?.postMessage(message));
});
