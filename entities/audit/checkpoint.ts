import { bookkeepingWrite, readStatement } from '../statements/define-statement.ts';

/** The head of the audit log, signed. Contract, section 20. */
export interface Checkpoint {
  company: number;
  sequence: number;
  /** Hexadecimal. */
  hash: string;
  /** Time of the event at the head. */
  at: string;
  /** In base64. */
  signature: string;
  keyId: string;
}

/** The last seal of the company, and the time of its event; null if the event is missing. */
interface HeadRow {
  sequence: number;
  /** Hexadecimal. */
  hash: string;
  at: string | null;
}

/** Reads the head of the chain in the primary database: a replica may be behind the seals. */
export const findHead = bookkeepingWrite<object, HeadRow>(
  'audit.head',
  ({ company }) => `select s.seq::float8 as sequence, encode(s.hash, 'hex') as hash, e.occurred_at as at
  from audit_seal s left join audit_event e on e.company_id = s.company_id and e.id = s.event_id
  where s.company_id = ${company} order by s.seq desc limit 1`,
);

/** Hash of a seal, hexadecimal. */
export const findSealHash = readStatement<{ sequence: number }, { hash: string }>(
  'audit.seal-hash',
  ({ company, sequence }) =>
    `select encode(hash, 'hex') as hash from audit_seal where company_id = ${company} and seq = ${sequence}::bigint`,
);
