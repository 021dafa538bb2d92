import { setTimeout as wait } from 'node:timers/promises';
import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import { errorLine } from '../database/errors.ts';
import { eraseStep, addRows } from '../database/erase/erase-company.ts';
import type { ErasedStep, ErasedRows } from '../database/erase/erase-company.ts';
import { connectOwner } from '../database/postgresql/owner.ts';
import type { OwnerConnection } from '../database/postgresql/owner.ts';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { BegunOutput, ErasedOutput, FilesOutput, StepOutput } from '../procedures/management/erase.ts';
import { ConfigError } from '../server/config/settings.ts';
import type { CallServer } from './remote.ts';

/** Milliseconds for which a step works, between two looks at the progress. */
const STEP_MS = 1000;
/** Milliseconds for which another erase may be running. */
const BUSY_MS = 5000;
const BUSY_POLL_MS = 200;

interface EraseOptions {
  call: CallServer;
  /** Value of `--company`. */
  company: string | undefined;
  /** URL for the role that owns the tables. The embedded database needs none: the server works as its owner. */
  ownerUrl: string | undefined;
}

/** Creates the command that erases a company, step by step, so that no request takes long and a killed one can be continued. */
export function eraseCommand({ call, company, ownerUrl }: EraseOptions) {
  const t = initTRPC.meta<Meta>().create();
  return t.procedure
    .meta({ description: 'Erase a closed company: every row and file of it, and persons who belong to no other' })
    .input(z.object({ name: z.string().min(1).describe('Name of the company, to confirm') }))
    .mutation(async ({ input: { name } }) => {
      if (company === undefined || !/^[1-9]\d{0,9}$/.test(company))
        throw new ConfigError('--company: expected the id of the company to erase');
      const id = Number(company);
      const begun = await begin(call, { id, name, hasOwner: ownerUrl !== undefined });
      const rows: ErasedRows = {};
      if (begun.erased === null) {
        if (begun.erase !== null) await onServer(call, { id, erase: begun.erase }, rows);
        else await onPostgreSql(call, { id, erasingAt: begun.erasingAt, ownerUrl }, rows);
      }
      const erased = ErasedOutput.parse(await call('company.eraseEnd', { id }));
      return { ...erased, rows: Object.fromEntries(Object.entries(rows).filter(([, number]) => number > 0)) };
    });
}

/** Begins an erase. For some seconds the server may consider a killed erase to be running. */
async function begin(call: CallServer, input: { id: number; name: string; hasOwner: boolean }) {
  for (const end = performance.now() + BUSY_MS; ; await wait(BUSY_POLL_MS)) {
    const begun = BegunOutput.parse(await call('company.eraseBegin', input));
    if (!begun.isBusy) return begun;
    if (performance.now() > end) throw isRunning(input.id);
  }
}

const isRunning = (id: number) => new ConfigError(`company: another erase of ${id} is running`);

/** The server has the embedded database open, and erases the rows. */
const onServer = (call: CallServer, erase: { id: number; erase: string }, rows: ErasedRows): Promise<void> =>
  runSteps(rows, async (from) => StepOutput.parse(await call('company.eraseStep', { ...erase, from })));

/** This process erases the rows, and the server the files. */
async function onPostgreSql(
  call: CallServer,
  { id, erasingAt, ownerUrl = '' }: { id: number; erasingAt: string | null; ownerUrl: string | undefined },
  rows: ErasedRows,
): Promise<void> {
  const owner = await connectOwner(ownerUrl).catch((error: unknown) => {
    throw new ConfigError(`MIGRATION_DATABASE_URL: ${errorLine(error)}`, { cause: error });
  });
  try {
    if (!(await owner.lock(`erase ${id}`))) throw isRunning(id);
    await requireSameDatabase(owner, id, erasingAt);
    const removeFiles = async () => FilesOutput.parse(await call('company.eraseFiles', { id }));
    await runSteps(rows, (from) => eraseStep({ owner, removeFiles }, { company: id, from, durationMs: STEP_MS }));
  } finally {
    await owner.close();
  }
}

/** Another erase may have ended meanwhile: then nothing is left. @throws ConfigError if the URL is that of another database */
async function requireSameDatabase(owner: OwnerConnection, id: number, erasingAt: string | null): Promise<void> {
  const isSame = await owner.transaction(async (query) => {
    await query(`select set_config('app.company', '0', true)`);
    const rows = await query(
      `select id from company where id = $1 and erasing_at::text = $2 union all select id from erased_company where id = $1`,
      [id, erasingAt],
    );
    return rows.length > 0;
  });
  if (!isSame) throw new ConfigError('MIGRATION_DATABASE_URL: expected the database of the server');
}

async function runSteps(rows: ErasedRows, step: (from: number) => Promise<ErasedStep>): Promise<void> {
  let isProgress = true;
  for (let from: number | null = 0; from !== null;) {
    const erased: ErasedStep = await step(from);
    isProgress ||= Object.values(erased.rows).some((number) => number > 0);
    addRows(rows, erased.rows);
    from = erased.next;
    if (from !== 0) continue;
    if (!isProgress) throw new Error('company: rows are left that the erase cannot delete');
    isProgress = false;
  }
}
