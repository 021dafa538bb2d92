/** Lines of a file, counted from 1, both included. */
export interface LineRange {
  start: number;
  end: number;
}

const TOP_LEVEL = /^(?:export )?(?:abstract )?(?:async )?(?:function\*?|class|const|interface|type) (\w+)/;
/** A line that ends with a semicolon is a call. */
const METHOD = /^ {2}(?:static |async |get |set |\*)*(#?\w+)(?:<.*>)?\((?!.*;$)/;

/**
 * Finds a top-level declaration, or a method of a class, by its name.
 * The code must be formatted, as indentation shows the end of a declaration.
 * @throws Error unless the source declares the name exactly once
 */
export function findDeclaration(source: string, name: string): LineRange {
  const lines = source.split('\n');
  const [first, ...others] = lines
    .entries()
    .filter(([, line]) => (TOP_LEVEL.exec(line) ?? METHOD.exec(line))?.[1] === name);
  if (first === undefined || others.length > 0)
    throw new Error(`${name}: expected one declaration, found ${first === undefined ? 0 : others.length + 1}`);
  const [start, line] = first;
  const indentation = line.search(/\S/);
  const next = lines.findIndex((text, index) => index > start && text !== '' && !belongsTo(text, indentation));
  let end = next === -1 ? lines.length : next;
  while (lines[end - 1] === '') end -= 1;
  return { start: start + 1, end };
}

/** Returns true for a line that is indented more than the declaration, or that closes a bracket of it. */
function belongsTo(line: string, indentation: number): boolean {
  const own = line.search(/\S/);
  return own > indentation || (own === indentation && /^[})\]]/.test(line.trimStart()));
}

/** @returns the lines of a file that no range contains */
export function linesOutside(source: string, ranges: readonly LineRange[]): LineRange[] {
  const outside: LineRange[] = [];
  let start = 1;
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    if (range.start > start) outside.push({ start, end: range.start - 1 });
    start = range.end + 1;
  }
  const lineCount = source.trimEnd().split('\n').length;
  if (start <= lineCount) outside.push({ start, end: lineCount });
  return outside;
}
