import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FORBIDDEN_WORDS } from './forbidden-words.ts';

// `npm run check:style`: rules that the linter does not have. They are in CONTRIBUTING.md.

/** Maximum number of files in a folder of source code or tests, without its subfolders. */
const MAX_FILES = 14;

const SOURCE = /^(?:app|cli|clients|database|entities|procedures|server|test)\//;
const TEXT = /\.(?:ts|tsx|js|md|sql|css|html|ya?ml)$|^\.ci\/run$|Dockerfile$/;
/** The list itself. */
const EXEMPT = 'test/style/forbidden-words.ts';

const words = new RegExp(String.raw`\b(?:${FORBIDDEN_WORDS.map(([pattern]) => `(${pattern})`).join('|')})\b`, 'gi');
/** Names of the command line, and the text of ECONNREFUSED, that contain a forbidden word and may not change. */
const CONTRACT_NAMES = /\btrails\b|--any-trail|connection refused/g;
/** First word of a comment. A comment begins with a noun or a verb. */
const opening = /(?:\/\*\*?\s*(?:\*\s*)?|^\s*\/\/ )(What|Whether|Who|Whom|Whose|Where|That|Which)\b/gm;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(file));

const findings = [...files.filter((file) => TEXT.test(file) && file !== EXEMPT).flatMap(proseOf), ...fullFolders()];
process.stdout.write(findings.map((finding) => `${finding}\n`).join(''));
process.stdout.write(`${findings.length} findings in ${files.length} files\n`);
process.exitCode = findings.length > 0 ? 1 : 0;

function proseOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(CONTRACT_NAMES, (name) => ' '.repeat(name.length));
  const lineAt = (index: number) => text.slice(0, index).split('\n').length;
  const used = [...text.matchAll(words)].map((match) => {
    const entry = FORBIDDEN_WORDS[match.slice(1).findIndex((group) => group !== undefined)];
    return `${file}:${lineAt(match.index)}: "${match[0]}": write ${entry?.[1] ?? 'another word'}`;
  });
  const opened = [...text.matchAll(opening)].map(
    ({ index, 0: whole, 1: word }) => `${file}:${lineAt(index + whole.length)}: a comment begins with "${word}"`,
  );
  return [...used, ...opened];
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
