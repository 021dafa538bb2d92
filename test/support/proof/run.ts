import { ProofError, nodePlatform, verifyProof } from '../../../procedures/proof/verify/verify.mjs';
import type { ProofOptions, ProofResult } from '../../../procedures/proof/verify/verify.mjs';

/** Verifies a proof in this process. Returns the result, or the line that names the fault. */
export async function verifyBytes(zip: Buffer, options: ProofOptions = {}): Promise<ProofResult | string> {
  const bytes = new Uint8Array(zip);
  const source = { size: bytes.length, read: async (start: number, end: number) => bytes.slice(start, end) };
  try {
    return await verifyProof(source, await nodePlatform(), options);
  } catch (error) {
    if (error instanceof ProofError) return error.message;
    throw error;
  }
}
