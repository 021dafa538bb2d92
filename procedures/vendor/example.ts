import { EXAMPLE_IDS } from '../../entities/fields/schemas.ts';
import { vendorResource } from '../../entities/vendor/vendor.ts';
import { resourceExamples } from '../document/scenario.ts';
import { VendorOutput } from './schemas.ts';

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
