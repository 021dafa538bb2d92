import { escapeHtml as escapeText, oneLine } from '../core/html.ts';
import type { Mail } from '../core/services.ts';

/** A text that leads to a page. */
export interface MailLink {
  text: string;
  url: string;
}

/** A paragraph, a link of its own, or links under a title. */
type Block = string | MailLink | { title: string; links: readonly MailLink[] };

/** Content of a mail, from which its text and its HTML are made. */
interface Message {
  to: string;
  subject: string;
  blocks: readonly Block[];
  /** Links at the end, in small type. */
  footer?: readonly MailLink[];
  unsubscribeUrl?: string;
}

/** Makes a mail. Names and titles keep no control characters, which could begin a header or a line. */
export function composeMail({ to, subject, blocks, footer = [], unsubscribeUrl }: Message): Mail {
  const title = oneLine(subject);
  const mail = { to, subject: title, text: textOf(blocks, footer), html: htmlOf(title, blocks, footer) };
  return unsubscribeUrl === undefined ? mail : { ...mail, unsubscribeUrl };
}

const textOf = (blocks: readonly Block[], footer: readonly MailLink[]): string =>
  [
    ...blocks.map((block) => {
      if (typeof block === 'string') return oneLine(block);
      if ('url' in block) return `${oneLine(block.text)}:\n${block.url}`;
      return [`${oneLine(block.title)}\n`, ...block.links.map(({ text, url }) => `- ${oneLine(text)}\n  ${url}`)].join(
        '\n',
      );
    }),
    ...(footer.length === 0 ? [] : [`--\n${footer.map(({ text, url }) => `${text}: ${url}`).join('\n')}`]),
  ].join('\n\n') + '\n';

const escapeHtml = (text: string): string => escapeText(oneLine(text));

const anchor = ({ text, url }: MailLink): string => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;

function blockHtml(block: Block): string {
  if (typeof block === 'string') return `<p>${escapeHtml(block)}</p>`;
  if ('url' in block) return `<p>${anchor(block)}</p>`;
  const items = block.links.map((link) => `<li>${anchor(link)}</li>`);
  return `<h2>${escapeHtml(block.title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}

/**
 * The HTML loads nothing. Clients that know the media query follow the dark scheme of the reader, and the others may invert the
 * colors, because no color is an attribute. https://drafts.csswg.org/css-color-adjust/#color-scheme-meta
 */
const htmlOf = (title: string, blocks: readonly Block[], footer: readonly MailLink[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; background: #ffffff; color: #1c1c1e; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 0 auto; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; }
h2 { font-size: 1rem; }
li { margin-bottom: 0.5rem; }
a { color: #0b5cad; }
footer { margin-top: 2rem; font-size: 0.8125rem; }
@media (prefers-color-scheme: dark) {
  body { background: #1c1c1e; color: #f2f2f7; }
  a { color: #8ec1ff; }
}
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${blocks.map(blockHtml).join('\n')}
${footer.length === 0 ? '' : `<footer>${footer.map(anchor).join(' · ')}</footer>\n`}</main>
</body>
</html>
`;
