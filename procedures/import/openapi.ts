const tags = ['Imports'];

const FILE =
  'The body is the file: CSV with a header row, or one JSON object on each line; at most 64 MiB and 100,000 rows. ' +
  'Takes the columns of the export. The response comes as soon as the file is stored; the rows are applied in the background.';

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  importVendors: { tags, operationId: 'importVendors', summary: 'Import vendors from a file', description: FILE },
  importTasks: {
    tags,
    operationId: 'importTasks',
    summary: 'Import tasks of a framework from a file',
    description: FILE,
  },
  get: {
    tags,
    operationId: 'getImport',
    summary: 'Read the progress of an import',
    description:
      'Shows the counters and the first 1,000 errors. Needs the scope `vendor:write` or `task:write`, as the import did. ' +
      'An import stays readable for 30 days after its end.',
  },
  errors: {
    tags,
    operationId: 'listImportErrors',
    summary: 'List the rows of an import that were not applied',
    description: 'In the order of the file. Needs the scope `vendor:write` or `task:write`, as the import did.',
  },
  cancel: {
    tags,
    operationId: 'cancelImport',
    summary: 'Cancel an import',
    description:
      'Rows that were applied stay. An import that has ended is 409. Needs the scope `vendor:write` or `task:write`, as the import did.',
  },
};
