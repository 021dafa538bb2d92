import { existsSync, readFileSync } from 'node:fs';
import { projectFiles } from './files.ts';

// `npm run check:paths`: finds paths in the docs that do not exist.

/** Pages that name paths of this version. The changelog names those of former versions, a guide those that it creates. */
const PAGE = /^(?!CHANGELOG|docs\/adding-|test\/).*\.md$/;
const namedPath =
  /`((?:app|bench|cli|clients|database|deploy|docs|entities|migrations|procedures|server|test)\/[\w./-]+)`/g;

const missing = projectFiles()
  .filter((file) => PAGE.test(file))
  .flatMap((file) => missingIn(file, readFileSync(file, 'utf8')));
process.stdout.write(missing.map((line) => `${line}\n`).join(''));
process.exitCode = missing.length > 0 ? 1 : 0;

function missingIn(file: string, text: string): string[] {
  return [...text.matchAll(namedPath)]
    .filter(([, path = '']) => !path.includes('/dist') && !existsSync(path)) // a build makes dist
    .map(({ index, 1: path }) => `${file}:${text.slice(0, index).split('\n').length}: ${path} does not exist`);
}
