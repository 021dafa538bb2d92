import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { forbiddenWordsIn } from './forbidden-words.ts';

// `npm run check:style`: rules that the linter does not have. They are in CONTRIBUTING.md.

/** Maximum number of files in a folder of source code or tests, without its subfolders. */
const MAX_FILES = 14;

const SOURCE = /^(?:app|cli|clients|database|deploy|entities|procedures|server|test)\//;
const TEXT = /\.(?:ts|tsx|js|md|sql|css|html|ya?ml)$|^\.ci\/run$|Dockerfile$/;
/** The list itself and its test. */
const EXEMPT = /^test\/style\/forbidden-words/;
/** Pages that name paths of this version. The changelog names those of former versions, a guide those that it creates. */
const NAMES_PATHS = /^(?!CHANGELOG|docs\/adding-|test\/).*\.md$/;
const namedPath =
  /`((?:app|bench|cli|clients|database|deploy|docs|entities|migrations|procedures|server|test)\/[\w./-]+)`/g;

/** First word of a comment. A comment begins with a noun or a verb. */
const opening = /(?:\/\*\*?\s*(?:\*\s*)?|^\s*\/\/ )(What|Whether|Who|Whom|Whose|Where|That|Which)\b/gm;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(file));

const findings = [...files.filter((file) => TEXT.test(file) && !EXEMPT.test(file)).flatMap(proseOf), ...fullFolders()];
process.stdout.write(findings.map((finding) => `${finding}\n`).join(''));
process.stdout.write(`${findings.length} findings in ${files.length} files\n`);
process.exitCode = findings.length > 0 ? 1 : 0;

function proseOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const lineAt = (index: number) => text.slice(0, index).split('\n').length;
  const used = forbiddenWordsIn(text).map(
    ({ index, word, instead }) => `${file}:${lineAt(index)}: ${JSON.stringify(word)}: write ${instead}`,
  );
  const opened = [...text.matchAll(opening)].map(
    ({ index, 0: whole, 1: word }) => `${file}:${lineAt(index + whole.length)}: a comment begins with "${word}"`,
  );
  const missing = [...(NAMES_PATHS.test(file) ? text.matchAll(namedPath) : [])]
    .filter(([, path = '']) => !path.includes('/dist') && !existsSync(path)) // a build makes dist
    .map(({ index, 1: path }) => `${file}:${lineAt(index)}: ${path} does not exist`);
  return [...used, ...opened, ...missing];
}

function fullFolders(): string[] {
  const folders = Map.groupBy(
    files.filter((file) => SOURCE.test(file)),
    (file) => dirname(file),
  );
  return [...folders]
    .filter(([, content]) => content.length > MAX_FILES)
    .map(([folder, content]) => `${folder}: ${content.length} files, at most ${MAX_FILES}`);
}
