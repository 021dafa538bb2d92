import type { MemberScope } from '../../entities/people/role.ts';

/** Business procedures that are no tools, and why. `docs/mcp.md` lists them too. */
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
  '`content` is the file: CSV with a header row, or one JSON object on each line; the whole request has at most 2 MiB. ' +
  'The result comes as soon as the file is stored; the rows are applied in the background. `import_get` reads the progress.';

/** Descriptions of tools whose REST operation has options that only HTTP has. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'task.list':
    'Returns the number of matching tasks; with `limit` also a page of them, by default newest first. ' +
    'A task must match all filters. The framework may be archived.',
  'task.import': FILE_DESCRIPTION,
  'vendor.page':
    'Returns the vendors of the company, in the order of code points. With `limit` it returns a page; ' +
    'send `nextCursor` as `cursor` to get the next one. With `view=full` the items are whole vendors.',
  'vendor.import': FILE_DESCRIPTION,
  'audit.list':
    'Returns a page of the events that match all filters. Send `nextCursor` as `cursor` to get the next one.',
  'changes.list':
    'Returns the events after a cursor, each exactly once and in order. `wait` holds the response until there is one.',
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

/** Procedures whose output schemas would be most of the list of tools, and which describe themselves. */
export const WITHOUT_OUTPUT_SCHEMA: ReadonlySet<string> = new Set(['task.history', 'vendor.history', 'audit.list']);

/** Procedures that may create and delete, depending on their items. */
export const BATCHES: ReadonlySet<string> = new Set(['task.batch', 'vendor.batch']);
