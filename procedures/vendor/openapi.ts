import { resourceTexts } from '../document/resource-texts.ts';

const { text, common } = resourceTexts('vendor');

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  ...common,
  list: text(
    'listVendors',
    'List vendors',
    'Returns all vendors of the company, by name in the order of code points, or in the order of `sort`. With `limit` it returns a page, and the next page in `Link`. ' +
      'With `view=full` the items are whole vendors. With `Accept: text/csv` or `application/x-ndjson` the response is a file ' +
      'with all matching vendors; `limit`, `cursor` and `view` are then not allowed.',
  ),
  create: text('createVendor', 'Add a vendor', 'Only the name is required. Duplicates are allowed.'),
  update: text(
    'updateVendor',
    'Change some fields of a vendor',
    'Omitted fields keep their value. `active` and `status` must agree if both are sent.',
  ),
  review: text(
    'reviewVendor',
    'Record a review of a vendor',
    'Sets `lastReview` to now, and `nextReview` as sent, or else `reviewEveryMonths` months after today, or null without it. An archived vendor is 409.',
  ),
  putByExternalId: text(
    'putVendorByExternalId',
    'Create or change the vendor with an external id',
    'Fields that are not sent keep their value, and take their default in a new vendor, which needs a name. With `mode=replace` status and ' +
      'description take their default in an existing vendor too. ' +
      'A vendor that has these values already is not written. ' +
      'The id of a deleted vendor stays reserved (409) unless `recreate=true`.',
  ),
  getByExternalId: text(
    'getVendorByExternalId',
    'Read the vendor with an external id',
    'The id is compared byte for byte.',
  ),
};
