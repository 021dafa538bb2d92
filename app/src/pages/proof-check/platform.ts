import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { ProofPlatform } from '../../../../procedures/proof/verify/verify.mjs';

/** Functions of browsers for the verifier. WebCrypto is missing on pages without TLS, and has no incremental SHA-256. */
export const browserPlatform: ProofPlatform = {
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
