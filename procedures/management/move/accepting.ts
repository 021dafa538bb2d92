import { ApiError } from '../../../entities/api-error.ts';
import { databaseBytes, findOccupant, findTakenDomains } from '../../../entities/company/moving.ts';
import { readDataVersion } from '../../../entities/version/statements.ts';
import type { AnySession } from '../../core/context.ts';
import { cellKeys, cellName, storeNames } from '../../core/cell.ts';
import type { Services } from '../../core/services.ts';
import type { Offer } from './schemas.ts';

/** Bytes that a company needs beyond those of its rows: indexes, and the log of PostgreSQL until its next checkpoint. */
const OVERHEAD = 2;

/**
 * Requires that this cell can take a company, before anything is frozen or copied.
 * @throws ApiError 409, 422 with one line that says what to do
 */
export async function requireAcceptable(
  session: AnySession,
  services: Services,
  id: number,
  { cell, version, keys, bytes, domains, stores, sealAt }: Offer,
): Promise<void> {
  if ((await cellName(session)) === cell)
    throw rejected('--to: is the cell that has the company; expected another one');
  const { data } = await session.one(readDataVersion, {});
  if (data !== version)
    throw rejected(`--to: has data of version ${data}, not ${version}; upgrade the older cell first`);
  const own = await cellKeys(session, services);
  if (own.cursor !== keys.cursor)
    throw rejected('CURSOR_SECRET: differs between the cells; set what cell secrets prints in both');
  if (!keys.encryption.every((key) => own.encryption.includes(key)))
    throw rejected('ENCRYPTION_KEY: differs between the cells; set the same one in both');
  if (own.signing !== keys.signing) throw rejected('SIGNING_KEY: differs between the cells; set the same one in both');
  const occupant = await session.first(findOccupant, { id });
  if (occupant?.isMoved === true)
    throw rejected(`company: ${id} was moved away from that cell; run company erase there before it returns`);
  if (occupant?.erasedSequence === null && !occupant.isArriving)
    throw rejected(`company: that cell has another company ${id}; set COMPANY_ID_START so that ids differ`);
  if (occupant !== undefined && occupant.erasedSequence !== null && occupant.erasedHash !== sealAt)
    throw rejected(`company: that cell has erased another company ${id}; move this one to another cell`);
  if ((await storeNames(session, services.storage)).some((store) => stores.includes(store)))
    throw rejected('STORAGE_URL: is the same in both cells; give each its own bucket or prefix');
  const taken = await session.run(findTakenDomains, { domains, id });
  if (taken.length > 0)
    throw rejected(
      `domain: ${taken.map(({ domain }) => domain).join(', ')} belongs to another company of that cell; change the domains of one of them with sso set`,
    );
  await requireRoom(session, services, bytes);
}

const rejected = (line: string) => new ApiError('conflict', line);

/** PostgreSQL tells no free space, so DATABASE_MAX_BYTES bounds the database. */
async function requireRoom(session: AnySession, { databaseMaxBytes }: Services, bytes: number): Promise<void> {
  if (databaseMaxBytes === undefined) return;
  const { bytes: used } = await session.one(databaseBytes, {});
  const missing = used + OVERHEAD * bytes - databaseMaxBytes;
  if (missing > 0)
    throw rejected(
      `DATABASE_MAX_BYTES: ${Math.ceil(missing)} bytes are missing in that cell for the company; raise it, or give the cell a larger disk`,
    );
}
