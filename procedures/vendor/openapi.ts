const tags = ['Vendors'];

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  list: {
    tags,
    operationId: 'listVendors',
    summary: 'List vendors, by name',
    description:
      'Returns all vendors of the company, in the order of code points. With `limit` it returns a page, and the next page in `Link`.',
  },
  create: {
    tags,
    operationId: 'createVendor',
    summary: 'Add a vendor',
    description: 'Only the name is required. Duplicates are allowed.',
  },
  get: {
    tags,
    operationId: 'getVendor',
    summary: 'Read a vendor',
    description: 'Returns the current vendor, or the vendor as it was at a time.',
  },
  history: {
    tags,
    operationId: 'getVendorHistory',
    summary: 'Read the history of a vendor, newest first',
    description: 'Also available for a deleted vendor.',
  },
  update: {
    tags,
    operationId: 'updateVendor',
    summary: 'Change some fields of a vendor',
    description: 'Omitted fields keep their value. `active` and `status` must agree if both are sent.',
  },
  delete: {
    tags,
    operationId: 'deleteVendor',
    summary: 'Delete a vendor',
    description: 'The history remains available.',
  },
  putByExternalId: {
    tags,
    operationId: 'putVendorByExternalId',
    summary: 'Create or change the vendor with an external id',
    description:
      'Fields that are not sent take their default; with `mode=merge` they keep their value, and only a new vendor needs a name. ' +
      'A vendor that has these values already is not written. ' +
      'The id of a deleted vendor stays reserved (409) unless `recreate=true`.',
  },
  getByExternalId: {
    tags,
    operationId: 'getVendorByExternalId',
    summary: 'Read the vendor with an external id',
    description: 'The id is compared byte for byte.',
  },
  deleteByExternalId: {
    tags,
    operationId: 'deleteVendorByExternalId',
    summary: 'Delete the vendor with an external id',
    description: 'The external id stays reserved, and the history remains available.',
  },
  link: {
    tags,
    operationId: 'linkVendor',
    summary: 'Add an external id to a vendor',
    description: 'A vendor has at most 10 external ids. An id that the vendor has already changes nothing.',
  },
  batch: {
    tags,
    operationId: 'batchVendors',
    summary: 'Create, change and delete up to 100 vendors',
    description:
      'Each item is a single request with its own result. All run in one transaction; with `atomic` one item that fails rejects ' +
      'all. A batch counts as one request for every 10 items. Each object may be the target of one item only.',
  },
};
