import type { Piece } from './events.ts';
import type { People } from './people.ts';

/** Contents: what a proof is made from. */
export interface ProofContents {
  from: string | null;
  asOf: string;
  frameworks: readonly number[] | null;
  evidence: boolean;
  piece: Piece;
  people: People;
}
