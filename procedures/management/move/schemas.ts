import { z } from 'zod';
import { MAX_URL_LENGTH } from '../../../entities/company/company.ts';
import { bodyId, expected, maxLength, textInput, uniqueIdInput } from '../../../entities/fields/schemas.ts';

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

/** Maximum number of bytes of a page of rows, and of the body that sends it: JSON in JSON, which escapes quotes. */
export const PAGE_BYTES = { rows: 256 * 1024, body: 64 * 1024 * 1024 } as const;

export const idInput = bodyId('Id of the company');
export const moveInput = uniqueIdInput('Name of the move', '0199c0de-7000-7000-8000-000000000001');
export const urlInput = textInput('a URL', MAX_URL_LENGTH);
/** JSON as text, which keeps all digits of numbers. */
export const jsonInput = textInput('JSON', PAGE_BYTES.body);
export const tableInput = textInput('the name of a table', 63);
/** The last row of the previous page; null for the first page. */
export const afterInput = textInput('the last of the page before').nullable();
const sequence = z.int().min(0);
const digest = textInput('a hash', 64);

/** The head of an audit log. */
export const Head = z.object({ sequence, hash: digest });
export type Head = z.output<typeof Head>;

/** The head that a cell keeps of a company since it erased it. */
export const Known = z.object({ erasedSequence: z.number().nullable() });

/** Facts of a company and its cell that the target checks before anything changes. */
export const Offer = z.object({
  /** Name of the cell. */
  cell: z.string(),
  /** Version of the data, so of the schema. */
  version: z.string(),
  keys: z.object({ cursor: z.string(), encryption: z.array(z.string()), signing: z.string().nullable() }),
  bytes: z.number(),
  /** Confirmed domains of single sign-on. */
  domains: z.array(z.string()),
  /** Digests of the buckets and prefixes that have the files; none for a store that no other cell can have. */
  stores: z.array(z.string()),
  /** Public keys with which the cell signs or has signed, for checkpoints and proofs of the company. */
  signingKeys: z.array(z.object({ keyId: z.string(), publicKey: z.string() })),
  /** Hash of the seal at the head that the target keeps of the company since it erased it; null without that seal. */
  sealAt: z.string().nullable(),
});
export type Offer = z.output<typeof Offer>;

/** The confirmation of one cell that the other one waits for. */
export const Confirmation = z.object({ confirmation: digest });

/** A move that has begun, and its switch if that has happened. */
export const Begun = z.object({
  move: z.string(),
  tables: z.array(z.object({ name: z.string(), grows: z.boolean() })),
  switched: z.object({ head: Head, ...Confirmation.shape }).nullable(),
});

/** A company whose log is sealed. `isSending` while attempts of webhooks may still run. */
export const Ready = z.object({ head: Head, row: z.string(), isSending: z.boolean() });

/** An arrival that has begun. The old cell names the URL in its 421. */
export const Arrival = z.object({ appUrl: z.string() });

export const Aborted = z.object({ move: z.string().nullable(), peer: z.string().nullable(), isFrozen: z.boolean() });

/** Number of the rows of a table, and the sum of their hashes. */
export const TableSum = z.object({ table: z.string(), rows: z.int(), digest: z.string() });
export type TableSum = z.output<typeof TableSum>;

/** Far more than the service has. */
const MAX_TABLES = 1000;
export const sumsInput = z
  .array(TableSum)
  .check(maxLength(MAX_TABLES, expected(`an array of at most ${MAX_TABLES} tables`)));

export const Page = z.object({
  rows: z.string(),
  count: z.int(),
  last: z.string().nullable(),
  more: z.boolean(),
});

export const People = z.object({ people: z.string(), last: z.string().nullable() });

/** A page of the files of an arriving company: those whose bytes have not arrived. */
export const FilePage = z.object({ count: z.int(), missing: z.array(z.string()), last: z.string().nullable() });

export const Move = z.object({
  company: z.int(),
  direction: z.enum(['in', 'out']),
  move: z.string(),
  state: z.string(),
  peer: z.string(),
  beganAt: z.string(),
  changedAt: z.string(),
  mayWrite: z.enum(['this cell', 'the other cell']),
});

/** People who must do something after a move, and the confirmation for the old cell. */
export const Arrived = z.object({
  ...Confirmation.shape,
  /** Links to accounts of single sign-on that were not moved, because another person has the account. */
  unlinked: z.array(z.object({ member: z.string(), issuer: z.string(), subject: z.string() })),
  /** Invitations of persons whose email another person has, as whom nobody can sign in before. */
  invitations: z.array(z.object({ email: z.string(), link: z.string() })),
});
