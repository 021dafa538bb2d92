import { expect } from 'vitest';
import type { Database } from '../../../database/database.ts';
import { Session } from '../../../database/session.ts';
import type { JobServices } from '../../../procedures/jobs/job.ts';
import { proving } from '../../../procedures/proof/job.ts';
import { database } from '../database/database.ts';
import { serverStorage, url } from '../http/server.ts';
import { services } from '../tenants/member.ts';

/** Opens the job that makes proofs, as a process of the service has it. */
export const openMaker = (on: Database = database, replaced: JobServices = {}) =>
  proving.open({
    ...services,
    storage: serverStorage,
    ...replaced,
    database: on,
    session: new Session(on, null, 'test'),
    warn: (error) => expect.fail(String(error)),
  }) ?? expect.fail('expected the services of proofs');

/** Makes the next proof of a company. */
export async function makeProof(company: number, on?: Database, replaced?: JobServices): Promise<void> {
  const maker = openMaker(on, replaced);
  await maker.runSlice(company);
  await maker.next?.();
}

/** The ZIP of a proof. */
export async function downloadProof(key: string, proof: string): Promise<Buffer> {
  const response = await fetch(`${url}/external/proof/${proof}/content`, { headers: { 'X-API-Key': key } });
  if (response.status !== 200) throw new Error(`proof: ${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}
