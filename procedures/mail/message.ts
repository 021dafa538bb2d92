import { escapeHtml as escapeText, oneLine } from '../core/html.ts';
import type { Mail } from '../core/services.ts';

/** A text that leads to a page. */
export interface MailLink {
  text: string;
  url: string;
}

/** A link in a list, with facts about it below. */
export interface MailListItem extends MailLink {
  details?: readonly string[];
}

/** A paragraph, the action that the mail is for, or links under a title. */
type Block = string | { button: MailLink } | { title: string; links: readonly MailListItem[] };

/** Content of a mail, from which its text and its HTML are made. */
interface Message {
  to: string;
  /** Has no text that a user can choose: mail programs show it beside the name of the sender. */
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
      if ('button' in block) return `${oneLine(block.button.text)}:\n${block.button.url}`;
      return [`${oneLine(block.title)}\n`, ...block.links.map(itemText)].join('\n');
    }),
    ...(footer.length === 0 ? [] : [`--\n${footer.map(({ text, url }) => `${text}: ${url}`).join('\n')}`]),
  ].join('\n\n') + '\n';

const itemText = ({ text, url, details = [] }: MailListItem): string =>
  [`- ${oneLine(text)}`, ...details.map(oneLine), url].join('\n  ');

const escapeHtml = (text: string): string => escapeText(oneLine(text));

const anchor = ({ text, url }: MailLink, attributes = ''): string =>
  `<a${attributes} href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;

function blockHtml(block: Block): string {
  if (typeof block === 'string') return `<p>${escapeHtml(block)}</p>`;
  if ('button' in block) return `<p>${anchor(block.button, ' class="button"')}</p>`;
  const items = block.links.map(
    ({ details = [], ...link }) =>
      `<li>${anchor(link)}${details.map((detail) => `<br>\n<span class="detail">${escapeHtml(detail)}</span>`).join('')}</li>`,
  );
  return `<h2>${escapeHtml(block.title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}

/**
 * The HTML loads nothing. Clients that know the media query follow the dark scheme of the reader, and the others may invert the
 * colors, because no color is an attribute. https://drafts.csswg.org/css-color-adjust/#color-scheme-meta
 * A client without style sheets shows the button as a link. `format-detection` keeps numbers and dates from becoming links.
 */
const htmlOf = (title: string, blocks: readonly Block[], footer: readonly MailLink[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; background: #ffffff; color: #1c1c1e; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 0 auto; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.25rem; line-height: 1.3; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
ul { margin: 0; padding-left: 1.25rem; }
li { margin-bottom: 0.75rem; }
a { color: #0b5cad; }
.button { display: inline-block; padding: 0.625rem 1.25rem; border-radius: 0.375rem; background: #0b5cad; color: #ffffff; font-weight: 600; text-decoration: none; }
.detail, footer { color: #5a5a5f; font-size: 0.875rem; }
footer { margin-top: 2rem; }
@media (prefers-color-scheme: dark) {
  body { background: #1c1c1e; color: #f2f2f7; }
  a { color: #8ec1ff; }
  .button { background: #8ec1ff; color: #0a2239; }
  .detail, footer { color: #b4b4bb; }
}
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${blocks.map(blockHtml).join('\n')}
${footer.length === 0 ? '' : `<footer>${footer.map((link) => anchor(link)).join(' · ')}</footer>\n`}</main>
</body>
</html>
`;
