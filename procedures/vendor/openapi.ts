import { EXAMPLE_IDS } from '../../entities/fields/schemas.ts';
import { vendorResource } from '../../entities/vendor/vendor.ts';
import { resourceTexts } from '../document/resource-texts.ts';
import { resourceExamples } from '../document/scenario.ts';
import { VendorOutput } from './schemas.ts';

const { text, common } = resourceTexts('vendor');

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  ...common,
  list: text(
    'listVendors',
    'List vendors',
    'Returns all vendors of the company, sorted by name (by code point) or as `sort` says. With `limit` it returns one page, and `Link` has the next one. ' +
      'With `view=full` the items are complete vendors. With `Accept: text/csv` or `application/x-ndjson` the response is a file ' +
      'with all matching vendors; `limit`, `cursor` and `view` are not allowed then.',
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
    'Sets `lastReview` to now. Sets `nextReview` to what you send, else to `reviewEveryMonths` months from today, else to null. An archived vendor cannot be reviewed (409).',
  ),
  putByExternalId: text(
    'putVendorByExternalId',
    'Create or change the vendor with an external id',
    'Omitted fields keep their value, or take their default in a new vendor, which needs a name. With `mode=replace` status and ' +
      'description take their default in an existing vendor too. ' +
      'Nothing is written if the vendor already has these values. ' +
      'The id of a deleted vendor stays reserved (409) unless `recreate=true`.',
  ),
  getByExternalId: text(
    'getVendorByExternalId',
    'Read the vendor with an external id',
    'The id is compared byte for byte.',
  ),
};

/** The vendor in the examples of the document. */
export const exampleVendor = resourceExamples({
  type: 'vendor',
  output: VendorOutput,
  defaults: { ...vendorResource.defaults, active: true, owner: null, lastReview: null },
  created: { name: 'Cloud Ltd', description: '<p>Hosts our <b>production</b>.</p>', active: true },
  changes: { name: 'Cloud Inc', active: false },
  changesWith: { status: 'inactive' },
  synced: { name: 'Hosting Ltd' },
  ids: { item: EXAMPLE_IDS.vendor, synced: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6074' },
  events: {
    created: ['019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6082', '0c8a1f52-6c2b-4b9e-b1f4-9be0a7d35c48'],
    changed: ['019a2b65-803e-7a11-9c2d-5e6f70818294', 'e4d90d6b-93a4-4f6c-8f0e-6d1b27c4a590'],
  },
  list: (item) => ({
    listed: [{ uniqueId: item['uniqueId'], name: item['name'], status: item['status'] }],
    full: [item],
  }),
});
