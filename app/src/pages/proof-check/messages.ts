import type { ProofResult } from '../../../../procedures/proof/verify/verify.mjs';

/** What the page sends to the worker. */
export interface CheckRequest {
  proof: File;
  checkpoint: string | undefined;
  /** JWK set of this installation; undefined if it could not be read. */
  keys: string | undefined;
}

/** What the worker answers: any number of shares, then one of the others. */
export type CheckAnswer =
  | { type: 'progress'; share: number }
  | { type: 'holds'; result: ProofResult }
  | { type: 'fault'; message: string }
  | { type: 'error'; message: string };
