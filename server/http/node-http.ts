/**
 * Node's HTTP without `import`, which looks up every name that a module of Node has: behind some of these lies all of `fetch`, which
 * takes as long to load as a tenth of the service (docs/performance.md).
 */
export const { STATUS_CODES, createServer } = process.getBuiltinModule('node:http');
