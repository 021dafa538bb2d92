const tags = ['Vendors'];

/** What the document says of each operation, and the bodies that show its use. */
export const openapi = {
  list: {
    tags,
    operationId: 'listVendors',
    summary: 'List vendors, by name',
    description:
      'All of the company, in the order of code points, unless `limit` is given: then a page, and the next one in `Link`.',
  },
  create: {
    tags,
    operationId: 'createVendor',
    summary: 'Add a vendor',
    description: 'Only the name is required. It need not be unique.',
  },
  get: {
    tags,
    operationId: 'getVendor',
    summary: 'Read a vendor',
    description: 'As it is, or as it was at a moment.',
  },
  history: {
    tags,
    operationId: 'getVendorHistory',
    summary: 'Read what happened to a vendor, newest first',
    description: 'Also of a vendor that is deleted.',
  },
  update: {
    tags,
    operationId: 'updateVendor',
    summary: 'Change some fields of a vendor',
    description: 'Fields that are not sent keep their value. `active` and `status` must agree where both are sent.',
  },
  delete: { tags, operationId: 'deleteVendor', summary: 'Delete a vendor', description: 'Its history stays.' },
};
