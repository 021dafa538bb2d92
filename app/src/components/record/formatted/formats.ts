/** Formats as people call them, by tag. */
const NAMES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  del: 'strikethrough',
  code: 'code',
  mark: 'highlight',
  sub: 'subscript',
  sup: 'superscript',
  small: 'small text',
  h1: 'heading 1',
  h2: 'heading 2',
  h3: 'heading 3',
  h4: 'heading 4',
  h5: 'heading 5',
  h6: 'heading 6',
  pre: 'preformatted text',
  blockquote: 'quote',
  ul: 'bulleted list',
  menu: 'bulleted list',
  ol: 'numbered list',
  table: 'table',
  th: 'table heading',
};

const nameOf = (element: Element): string | undefined =>
  element.localName === 'a' ? `link to ${element.getAttribute('href') ?? 'nothing'}` : NAMES[element.localName];

const namesOf = (path: readonly Element[]) => new Set(path.map(nameOf).filter((name) => name !== undefined));

/** Words for the formats that a text got or lost: "bold added". Undefined if people see no difference. */
export function formatChange(before: readonly Element[], after: readonly Element[]): string | undefined {
  const [old, next] = [namesOf(before), namesOf(after)];
  const changes = [
    ...[...next.difference(old)].map((name) => `${name} added`),
    ...[...old.difference(next)].map((name) => `${name} removed`),
  ];
  return changes.length === 0 ? undefined : changes.join(', ');
}
