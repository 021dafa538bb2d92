import { operationTexts } from '../document/resource-texts.ts';

const text = operationTexts('Imports');

const FILE =
  'The body is the file: CSV with a header row, or one JSON object on each line; at most 64 MiB and 100,000 rows. ' +
  'Takes the columns of the export. The response comes as soon as the file is stored; the rows are applied in the background.';

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  importVendors: text('importVendors', 'Import vendors from a file', FILE),
  importTasks: text(
    'importTasks',
    'Import tasks of a framework from a file',
    `${FILE} \`departmentId\` also takes a name, \`assigneeId\` an email, and \`priority\` a word such as \`high\`.`,
  ),
  get: text(
    'getImport',
    'Read the progress of an import',
    'Shows the counters and the first 1,000 errors. Needs the scope `vendor:write` or `task:write`, as the import did. ' +
      'An import stays readable for 30 days after its end.',
  ),
  errors: text(
    'listImportErrors',
    'List the rows of an import that were not applied',
    'In the order of the file. Needs the scope `vendor:write` or `task:write`, as the import did.',
  ),
  cancel: text(
    'cancelImport',
    'Cancel an import',
    'Rows that were applied stay. An import that has ended is 409. Needs the scope `vendor:write` or `task:write`, as the import did.',
  ),
};
