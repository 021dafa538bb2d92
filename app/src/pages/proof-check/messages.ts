import type { ProofResult } from '../../../../procedures/proof/verify/verify.mjs';

/** Message of the page to the worker. */
export interface CheckRequest {
  proof: File;
  checkpoint: string | undefined;
  /** JWK set of this installation; undefined if it has no key, or could not be read. */
  keys: string | undefined;
}

/** Messages of the worker to the page: any number of shares, then one of the others. */
export type CheckMessage =
  | { type: 'progress'; share: number }
  | { type: 'holds'; result: ProofResult }
  | { type: 'fault'; message: string }
  | { type: 'error'; message: string };
