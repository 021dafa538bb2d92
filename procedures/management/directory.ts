import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { changedDirectory, directoryMoment, listDirectory } from '../../entities/api-key/directory-statements.ts';
import type { DirectoryRow } from '../../entities/api-key/directory-statements.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { FIRST_ID, MAX_ID } from '../../entities/ids.ts';
import { bodyId, timestampInput } from '../../entities/fields/schemas.ts';
import type { AnySession } from '../core/context.ts';
import { operatorProcedure, router } from '../core/trpc.ts';

/** Keys in a response. Their page takes some milliseconds. */
const PAGE_SIZE = 2000;

const Position = z.object({ company: z.int(), key: z.string() });
const PositionInput = z.strictObject({ company: bodyId('Id of a company'), key: z.guid() });

const Moment = z.strictObject({
  xid: z.string().regex(/^\d{1,10}$/, 'expected the id of a transaction'),
  at: timestampInput,
});

const Keys = z.object({
  keys: z.array(
    z.object({
      company: z.int(),
      key: z.string().meta({ description: 'uniqueId of the key' }),
      hashes: z.array(z.string()).meta({ description: 'SHA-256 of each secret that works, in hexadecimal digits' }),
    }),
  ),
  next: Position.nullable().meta({ description: 'Position of the next page' }),
});

export const DirectoryPage = Keys;
export const DirectoryChanges = Keys.extend({
  moment: Moment,
  companies: z.array(z.int()).meta({ description: 'Companies whose keys may all have changed' }),
});

function toPage(rows: readonly DirectoryRow[]): z.infer<typeof Keys> {
  const last = rows.length === PAGE_SIZE ? rows.at(-1) : undefined;
  return {
    keys: rows.map(({ company, key, hash, previousHash }) => ({
      company,
      key,
      hashes: [hash, previousHash].filter((one) => one !== null),
    })),
    next: last === undefined ? null : { company: last.company, key: last.key },
  };
}

/** @throws ApiError 422 on the embedded database */
function requirePostgreSql({ owner }: AnySession): void {
  if (owner !== undefined)
    throw new ApiError('unprocessable', 'DATABASE_URL: required for cells, which need PostgreSQL');
}

/** Steps of `npx --no compliance directory export`: which secrets a router sends to this cell. Contract, section 23. */
export const directory = router({
  list: operatorProcedure
    .meta({ description: 'List the keys of this cell, or those of one company', isStep: true })
    .input(z.strictObject({ company: bodyId('Id of a company').nullable(), after: PositionInput.nullable() }))
    .output(DirectoryPage)
    .mutation(async ({ ctx: { session }, input: { company, after } }) => {
      requirePostgreSql(session);
      const rows = await session.run(listDirectory, {
        afterCompany: after?.company ?? company ?? 0,
        afterKey: after?.key ?? FIRST_ID,
        lastCompany: company ?? MAX_ID,
        limit: PAGE_SIZE,
      });
      return toPage(rows);
    }),

  changes: operatorProcedure
    .meta({
      description: 'List what has changed in the directory since a moment, or show the present one',
      isStep: true,
    })
    .input(z.strictObject({ since: Moment.nullable(), after: PositionInput.nullable() }))
    .output(DirectoryChanges)
    .mutation(async ({ ctx: { session }, input: { since, after } }) => {
      requirePostgreSql(session);
      const { companies, xid, at } = await session.one(directoryMoment, { xid: since?.xid ?? null });
      const moment = { xid, at: toIso(at) };
      if (since === null) return { moment, companies: [], keys: [], next: null };
      const rows = await session.run(changedDirectory, {
        ...since,
        afterCompany: after?.company ?? 0,
        afterKey: after?.key ?? FIRST_ID,
        limit: PAGE_SIZE,
      });
      return { moment, companies, ...toPage(rows) };
    }),
});
