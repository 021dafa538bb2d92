/**
 * Exports of `node:http`, loaded without `import`. An `import` reads every export of the module, and some of them load
 * `fetch`. That slows down the start (bench/README.md).
 */
export const { STATUS_CODES, createServer } = process.getBuiltinModule('node:http');
