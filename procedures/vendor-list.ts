import { z } from 'zod';
import { NAME_LENGTH } from '../entities/company.ts';
import type { Session } from '../entities/database/session.ts';
import { MAX_ID } from '../entities/ids.ts';
import { listVendorsAsJson } from '../entities/statements/vendor.ts';
import type { VendorListed } from '../entities/statements/vendor.ts';
import { FIRST, countVendors, pageVendors } from '../entities/statements/vendor-page.ts';
import type { VendorPlace } from '../entities/statements/vendor-page.ts';
import { VENDOR_STATUSES } from '../entities/vendor.ts';
import { givenCount, givenText } from './answer-shapes.ts';
import { cursorsOf } from './cursor.ts';
import { PART, cut, pageOf, placeOf, refuseCursorAlone } from './page.ts';
import { expects, givenUniqueId, sought } from './shapes.ts';

/** How many vendors a page holds at most: they are small, and were always given all at once. */
const MOST = PART;

export const status = z.enum(VENDOR_STATUSES, expects(`one of ${VENDOR_STATUSES.join(', ')}`));

/** Which vendors are asked for, and where. */
export const VendorQuery = z.strictObject({
  status: status.optional().meta({ description: 'Where the vendor stands' }),
  q: sought(NAME_LENGTH)
    .meta({ description: 'Text that the name contains, ignoring case', examples: ['cloud'] })
    .optional(),
  ...placeOf(MOST, 'all of them without it; required with `cursor`'),
});

/** The name of a vendor, in an answer. */
export const givenName = givenText(NAME_LENGTH, 'Cloud Ltd');

export const ListedVendor = z.object({ uniqueId: givenUniqueId, name: givenName, status }).meta({ id: 'ListedVendor' });

export const VendorPage = pageOf(ListedVendor, MOST).extend({
  total: givenCount(0, MAX_ID, 'Vendors that match, on all pages'),
});

/**
 * The vendors that match, by name and then by id; where a limit is given, a page of them.
 * @param part the limit of who takes all of them page by page
 */
export async function readVendors(
  session: Session,
  { limit, cursor, ...given }: z.infer<typeof VendorQuery>,
  part?: number,
) {
  refuseCursorAlone({ limit, cursor });
  const filters = { status: given.status ?? null, q: given.q ?? null };
  const most = limit ?? part;
  if (most === undefined) {
    const isAll = filters.status === null && filters.q === null;
    const written = isAll ? await writtenVendors(session, PART) : undefined;
    const items =
      written === undefined
        ? await session.run(pageVendors, { ...FIRST, ...filters, limit: null })
        : listedIn(written.json);
    return { items, nextCursor: null, total: items.length };
  }
  const cursors = await cursorsOf(session, 'vendor.list', given);
  const at = cursor === undefined ? FIRST : placeAt(cursors.read(cursor));
  const found = await session.run(pageVendors, { ...at, ...filters, limit: most + 1 });
  const { rows: items, last } = cut(found, most);
  const isWhole = cursor === undefined && last === undefined;
  const isPart = part !== undefined && cursor !== undefined;
  const total = isWhole || isPart ? items.length : (await session.only(countVendors, filters)).total;
  const nextCursor = last === undefined ? null : cursors.write([last.name, last.uniqueId]);
  return { items, nextCursor, total };
}

/** What the statement has written itself; the procedure's output schema holds it to its shape. */
const listedIn = (json: string): VendorListed[] => JSON.parse(json);

const placeAt = ([name = FIRST.name, uniqueId = FIRST.uniqueId]: readonly string[]): VendorPlace => ({
  name,
  uniqueId,
});

/** All vendors as JSON that PostgreSQL wrote; undefined where there are more than `most`. */
export async function writtenVendors(session: Session, most: number) {
  const written = await session.only(listVendorsAsJson, { limit: most + 1 });
  return written.total > most ? undefined : written;
}
