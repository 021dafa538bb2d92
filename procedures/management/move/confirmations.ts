import type { Head } from './schemas.ts';

interface Moved {
  id: number;
  move: string;
  head: Head;
}

// Each cell takes the next step only with the confirmation of the other one, so that never both may write.

/** The target has all rows and files of the company up to the head. */
export const completed = ({ id, move, head }: Moved) => `completed ${id} ${move} ${head.sequence} ${head.hash}`;
/** The source never writes the company again. */
export const switched = ({ id, move, head }: Moved) => `switched ${id} ${move} ${head.sequence} ${head.hash}`;
/** The target serves the company, so that the source may erase its copy. */
export const served = ({ id, move, head }: Moved) => `served ${id} ${move} ${head.sequence} ${head.hash}`;
