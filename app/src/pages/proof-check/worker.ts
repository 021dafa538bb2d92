import { ProofError, verifyProof } from '../../../../procedures/proof/verify/verify.mjs';
import type { ProofOptions, ProofResult, ProofSource } from '../../../../procedures/proof/verify/verify.mjs';
import type { CheckMessage, CheckRequest } from './messages.ts';
import { browserPlatform } from './platform.ts';

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
