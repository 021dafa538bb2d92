import type { MemberScope } from '../../entities/member/role.ts';

/** Business procedures that are not tools, and why. `docs/mcp.md` lists them too. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'vendor.list': 'It returns an array; `vendor_page` returns the same vendors as an object, with `nextCursor`.',
  'vendor.update': 'It returns nothing; `vendor_updateAndGet` makes the same change and returns the vendor.',
  'task.export': 'It returns the rows of a file; `task_list` reads the same tasks.',
  'vendor.export': 'It returns the rows of a file; `vendor_page` reads the same vendors.',
  'task.exportCsv': 'It belongs to the application, not to the API; `task_list` reads the same tasks.',
  'vendor.exportCsv': 'It belongs to the application, not to the API; `vendor_page` reads the same vendors.',
  'import.list': 'It belongs to the application, not to the API; `import_get` reads one import.',
  'overview.tasks': 'It belongs to the application, not to the API; `task_list` counts tasks.',
  'overview.taskHistory': 'It belongs to the application, not to the API; `task_history` reads changes.',
  'overview.vendors': 'It belongs to the application, not to the API; `vendor_page` counts vendors.',
};

const FILE_DESCRIPTION =
  'CSV with a header row, or one JSON object on each line; the whole request has at most 2 MiB. The rows are applied in the ' +
  'background. `import_get` reads the progress.';

const BATCH_DESCRIPTION =
  'Each item is a single request with its own result; all run in one transaction. A batch counts as one request for every ' +
  '10 items. Each object may be the target of one item only.';

/** Descriptions of tools where that of the REST operation repeats the schema, or has options that only HTTP has. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'task.list': 'Returns the number of tasks that match all filters; with `limit` also a page of them.',
  'task.create': 'A new task has the status `todo`.',
  'task.update':
    'Omitted fields keep their value. The status may change from `done`, `not_applicable` and `canceled` to `todo` only.',
  'task.putByExternalId':
    'Only a new task needs a title, and it may have any status. An existing task keeps a status that is not sent.',
  'task.import': FILE_DESCRIPTION,
  'task.batch': BATCH_DESCRIPTION,
  'vendor.page': 'In the order of code points; with `limit` a page of them.',
  'vendor.create': '',
  'vendor.putByExternalId': 'Only a new vendor needs a name.',
  'vendor.import': FILE_DESCRIPTION,
  'vendor.batch': BATCH_DESCRIPTION,
  'import.get': 'Shows the counters and the first 1,000 errors, for 30 days after the end.',
  'import.errors': 'In the order of the file.',
  'import.cancel': 'Rows that were applied stay. An import that has ended is 409.',
  'audit.list': 'Returns a page of the events that match all filters.',
  'changes.list': 'Returns the events after a cursor, each exactly once and in order.',
  'apiKey.whoami': 'Returns the integration user, permissions and expiry of the key.',
  'webhook.replay': 'One event, or all that the endpoint selects from a time on, with the same `webhook-id` as before.',
};

/** Shorter descriptions of fields, by those of REST, for what many tools repeat. An empty one is left out. */
export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  'Framework ID, found in the framework manager of the application': 'Id from `framework_list`',
  'Text without a `<` is stored unchanged. Other text is HTML: formatting, links, lists and tables are kept; scripts, styles and images are removed.':
    'Text, or HTML without scripts, styles and images',
  'Replaces all labels. At most 20, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays.':
    'Replaces all labels',
  'Replaces all gaps. Ids of gaps of the same framework, each once, at most 100.': 'Replaces all gaps',
  'A gap of the framework that is not archived': 'Id from `gap_list`, not archived',
  'A department of the company that is not archived': 'Id from `department_list`, not archived',
  'Id of the object in the other system. Percent-encode it in a path, also `/` as `%2F`.': '',
  'The other system, for example the name of a tool': 'The other system',
  '`nextCursor` of the previous page; requires the same filters': '`nextCursor` of the previous page',
  'Maximum number of items in a page; 50 by default': '50 by default',
  'The file as text. REST takes it as the request body.': 'The file',
  'Format of `content`. REST takes it from `Content-Type`.': '',
  'Task title': '',
  'Fields of an existing item that are missing or empty in a row: `replace` gives them their default, `merge` keeps their value':
    'Fields that are missing or empty in a row: `replace` sets their default, `merge` keeps them',
  'Source of the column `externalId`. Each row then creates or updates the item with this id.':
    'Source of the column `externalId`',
  'Checks every row and counts as if it was applied, but writes nothing': 'Checks every row and writes nothing',
  'One bad row makes the import fail before anything is written': 'One bad row makes the import fail',
  'Order of the tasks, descending with `-`, then by uniqueId in the same direction. Tasks without a due date come last.':
    'Descending with `-`',
  'Maximum number of items in a page; without it tasks are only counted; required with `cursor`':
    'Without it tasks are only counted',
};

const IMPORT_SCOPES: readonly MemberScope[] = ['task:write', 'vendor:write'];

/**
 * Scopes of procedures that check them for each item. A key with one of them sees the tool. Every key sees a tool that is
 * missing here and needs no scope.
 */
export const LISTED_SCOPES: Readonly<Record<string, readonly MemberScope[]>> = {
  'task.batch': ['task:write', 'task:delete'],
  'vendor.batch': ['vendor:write', 'vendor:delete'],
  'import.get': IMPORT_SCOPES,
  'import.errors': IMPORT_SCOPES,
  'import.cancel': IMPORT_SCOPES,
};

/** Procedures that may create and delete, depending on their items. */
export const BATCHES: ReadonlySet<string> = new Set(['task.batch', 'vendor.batch']);

/** Procedures that write, and neither delete nor overwrite. Every other one that writes has `destructiveHint`. */
export const ADDITIVE: ReadonlySet<string> = new Set([
  'task.create',
  'task.link',
  'vendor.create',
  'vendor.link',
  'webhook.create',
  'webhook.test',
  'webhook.replay',
]);
