import type { RunSql } from '../../../support/database/client.ts';
import { callManagement, sendRequest } from '../../../support/http/client.ts';

/** The signed head of an audit log, which a client keeps elsewhere. */
export interface Checkpoint {
  company: number;
  sequence: number;
  hash: string;
}

/** Asks for the checkpoints of the companies. */
export function takeCheckpoints(url: string, companies: readonly { key: string }[]): Promise<Checkpoint[]> {
  return Promise.all(
    companies.map(async ({ key }) => {
      const request = { method: 'GET', headers: { 'X-API-Key': key } };
      const { status, text } = await sendRequest(`${url}/external/audit/checkpoint`, request);
      if (status !== 200) throw new Error(`checkpoint: ${status} ${text}`);
      return JSON.parse(text) as Checkpoint;
    }),
  );
}

/** Verifies the audit log of a checkpoint as `npx --no compliance audit verify --checkpoint` does. @returns the first error */
export async function verifyChain(url: string, checkpoint: Checkpoint): Promise<string | null> {
  const input = { checkpoint };
  const { reason } = await callManagement<{ reason: string | null }>(url, 'audit.verify', input, checkpoint.company);
  return reason;
}

/** Looks for the head of a checkpoint among the seals, without the service. */
export async function isInChain(run: RunSql, { company, sequence, hash }: Checkpoint): Promise<boolean> {
  const rows = await run(
    `select from audit_seal where company_id = $1 and seq = $2 and encode(hash, 'hex') = $3`,
    company,
    sequence,
    hash,
  );
  return rows.length === 1;
}
