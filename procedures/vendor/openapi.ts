const tags = ['Vendors'];

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  list: {
    tags,
    operationId: 'listVendors',
    summary: 'List vendors, by name',
    description:
      'Returns all vendors of the company, in the order of code points. With `limit` it returns a page, and the next page in `Link`. ' +
      'With `view=full` the items are whole vendors.',
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
};
