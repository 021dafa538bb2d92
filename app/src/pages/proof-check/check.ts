import type { ProofResult } from '../../../../procedures/proof/verify/verify.mjs';
import { queryClient } from '../../api/client.ts';
import { signingKeysQuery } from '../../components/signing-keys.ts';
import type { CheckMessage, CheckRequest } from './messages.ts';

/** Files that a person chose. */
export interface Chosen {
  proof: File;
  checkpoint: File | undefined;
}

/** The outcome of a check. */
export type Outcome =
  | {
      result: ProofResult;
      /** False if the installation has no key that could be read. */
      hasKeys: boolean;
    }
  | { /** The first thing that is wrong, on one line. */ fault: string };

/**
 * Verifies a proof on this machine, in a worker. The only request reads the public keys of the installation.
 * @param onProgress receives the share that is done, from 0 to 1
 * @throws Error if the file cannot be read
 */
export async function checkProof(
  { proof, checkpoint }: Chosen,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  requireInflate();
  const [keys, checkpointText] = await Promise.all([readKeys(), checkpoint?.text()]);
  const worker = new Worker(new URL('worker.ts', import.meta.url), { type: 'module' });
  const { port1: port, port2 } = new MessageChannel();
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  port.addEventListener('message', ({ data }: MessageEvent<CheckMessage>) => {
    if (data.type === 'progress') onProgress(data.share);
    else if (data.type === 'holds') resolve({ result: data.result, hasKeys: keys !== undefined });
    else if (data.type === 'fault') resolve({ fault: data.message });
    else reject(new Error(data.message));
  });
  port.start();
  worker.addEventListener('error', () => reject(new Error(UNSUPPORTED)));
  signal.addEventListener('abort', () => reject(new Error('The check has ended.')));
  const request: CheckRequest = { proof, checkpoint: checkpointText, keys };
  worker.postMessage(request, [port2]);
  try {
    return await promise;
  } finally {
    worker.terminate();
    port.close();
  }
}

const UNSUPPORTED = 'This browser cannot run the check. Use a newer one, or verify.mjs of the ZIP.';

/** @throws Error in a browser that cannot read compressed files of a ZIP */
function requireInflate(): void {
  try {
    void new DecompressionStream('deflate-raw');
  } catch {
    throw new Error(UNSUPPORTED);
  }
}

/** The keys of the installation; undefined if there is none, or they cannot be read. */
async function readKeys(): Promise<string | undefined> {
  try {
    const { text, fingerprints } = await queryClient.fetchQuery({ ...signingKeysQuery, retry: false });
    return fingerprints.length > 0 ? text : undefined;
  } catch {
    return undefined;
  }
}
