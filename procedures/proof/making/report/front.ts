import type { Report, Section } from './context.ts';
import { Html, NOTHING, markup, countText, numberText } from './text.ts';
import type { Collected } from './collect.ts';
import { factList } from './record.ts';
import type { Fact } from './record.ts';
import type { Posture } from './posture.ts';
import type { Applicability } from './requirements.ts';
import type { Reviews } from './reviews.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
const LIMITED = markup`<li>Tasks and requirements, with their comments and evidence, are those of the frameworks on the first page. All else is of the whole company.
`;

function periodText({ contents: { from, asOf }, times }: Report): string {
  return `${from === null ? 'From the beginning of the log' : times.text(from)} to ${times.text(asOf)}`;
}

/** Frameworks that are named one by one. */
const MAX_NAMED = 20;

function listText(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${countText(rest, 'more', 'more')}` : '');
}

/** The frameworks of the proof, and what it leaves out. */
function frameworkFacts({ contents: { frameworks }, registers }: Report): Fact[] {
  if (frameworks === null) return [['Frameworks', 'All']];
  const known = [...registers.names.framework];
  const nameOf = (isIn: boolean) =>
    known.flatMap(([id, name]) => (frameworks.some((one) => one === id) === isIn ? [name] : []));
  const others = nameOf(false);
  const leftOut =
    others.length === 0
      ? 'Nothing: the company had no other framework'
      : `The tasks and requirements of ${listText(others)}, with their comments and evidence`;
  return [
    ['Frameworks', markup`<strong>Only ${listText(nameOf(true))}</strong>`],
    ['Left out', leftOut],
  ];
}

/** A text in the style sheet, where no character of it ends the text or the sheet. */
const cssText = (text: string): string =>
  `"${text.replaceAll(/[^\p{L}\p{N} ,.:]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)} `)}"`;

/** Style of the report on the screen and on A4. @param footer text at the foot of each printed page */
const styleSheet = (footer: string): string => `
:root { color-scheme: light; --line: #c9ced6; --quiet: #5b6470; --accent: #1f3a5f; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 3rem 2rem; color: #16191d; background: #fff; overflow-wrap: anywhere;
  font: 0.875rem/1.45 "Helvetica Neue", Arial, "Liberation Sans", sans-serif; font-variant-numeric: tabular-nums; }
h1, h2, h3, h4 { line-height: 1.25; break-after: avoid; }
h1 { margin: 0.25rem 0 1.5rem; font-size: 2rem; color: var(--accent); }
h2 { margin: 3rem 0 1rem; padding-bottom: 0.375rem; border-bottom: 2px solid var(--accent); font-size: 1.375rem; color: var(--accent); }
h3 { margin: 2rem 0 0.75rem; font-size: 1.125rem; color: var(--accent); }
h4 { margin: 0 0 0.5rem; font-size: 1rem; }
p { margin: 0 0 0.75rem; max-width: 46rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
.kind { margin: 0; color: var(--quiet); font-size: 0.75rem; letter-spacing: 0.08em; text-transform: uppercase; }
.note, .none { color: var(--quiet); font-size: 0.8125rem; }
.none { margin: 0.375rem 0; }
code { font: 0.6875rem/1.4 ui-monospace, "Liberation Mono", monospace; }
pre { margin: 0 0 0.75rem; padding: 0.5rem 0.75rem; background: #f3f5f8; white-space: pre-wrap; }
b { color: #a3271f; font-weight: 600; }
table { width: 100%; margin: 0.5rem 0 1rem; border-collapse: collapse; font-size: 0.8125rem; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; vertical-align: top; text-align: left; }
th { border-bottom: 1px solid #16191d; font-weight: 600; vertical-align: bottom; overflow-wrap: normal; }
td { border-bottom: 1px solid var(--line); }
tr { break-inside: avoid; }
th:last-child, td:last-child { padding-right: 0; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 0.375rem 1.25rem; margin: 0 0 0.5rem; }
dt { color: var(--quiet); font-size: 0.75rem; }
dd { margin: 0; }
.cover { grid-template-columns: 1fr; gap: 0; border-top: 1px solid var(--line); }
.cover div { display: grid; grid-template-columns: 11rem 1fr; padding: 0.375rem 0; border-bottom: 1px solid var(--line); }
.cover dt { font-size: inherit; }
.contents ol { margin: 0; padding-left: 1.5rem; }
.contents ol ol { padding-left: 1rem; list-style: none; }
article { margin: 0 0 1.25rem; padding: 0.875rem 0 0; border-top: 1px solid #16191d; }
article table { margin: 0.375rem 0; }
.i td:first-child:not(:has(a)) { white-space: nowrap; }
.n th:not(:first-child, :last-child), .n td:not(:first-child, :last-child) { text-align: right; }
.n td:last-child { white-space: nowrap; }
.bar { display: inline-block; width: 5rem; height: 0.5rem; margin-right: 0.5rem; background: #e3e7ec; print-color-adjust: exact; }
.bar i { display: block; height: 100%; background: #2b6b3f; }
.c td:first-child { width: 10.5rem; white-space: nowrap; }
.c td:nth-child(2) { width: 10rem; }
.e td:nth-child(2), .e td:nth-child(3), .e td:nth-child(4) { white-space: nowrap; }
.e td:last-child { width: 27rem; }
.q td:first-child { width: 10.5rem; }
.q td:nth-child(2) { width: 20%; }
.q td:last-child { width: 10rem; }
.e code, dd code { white-space: nowrap; }
.s td:first-child, .r td:first-child { white-space: nowrap; }
.s td:nth-child(2) { width: 22%; }
.s td:nth-child(3), .s td:nth-child(4), .s td:last-child { width: 20%; }
.s .h td { width: auto; padding-top: 0.75rem; font-weight: 600; break-after: avoid; }
.r td:nth-child(3), .r td:nth-child(4), .r td:nth-child(5) { white-space: nowrap; }
.facts code { font-size: 0.625rem; }
@media print {
  @page { size: A4; margin: 18mm 16mm 20mm;
    @bottom-left { content: ${cssText(footer)}; font: 7.5pt Arial, sans-serif; color: #5b6470; }
    @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 7.5pt Arial, sans-serif; color: #5b6470; } }
  html { font-size: 11px; }
  body { max-width: none; padding: 0; }
  #about, #applicability, #tasks, h3 ~ h3 { break-before: page; }
  h1 { margin-top: 15mm; }
  article { break-inside: avoid; }
  thead { display: table-header-group; }
  a { color: inherit; }
}
`;

/** The head of the page, and the title. */
export function titleHtml(report: Report): Html {
  const { contents, registers, times, missing } = report;
  const { from, asOf, piece, evidence } = contents;
  const { head } = piece;
  const { name } = registers.company;
  const footer = `${name}: compliance report as of ${times.text(asOf)} (${times.zone}), log ${head.sequence}`;
  const files = evidence
    ? `In the proof${missing.length === 0 ? '' : `, except ${countText(missing.length, 'file')} whose bytes are gone`}`
    : 'Left out by the request';
  const facts: Fact[] = [
    ['Company', `${name} (number ${registers.company.id})`],
    ['Period', periodText(report)],
    ['As of', times.exact(asOf)],
    ...(from === null ? [] : [['Changes from', times.exact(from)] satisfies Fact]),
    ['Time zone', `${times.zone}, that of the company`],
    ...frameworkFacts(report),
    ['Files of evidence', files],
    [
      'Head of the log',
      markup`Sequence ${numberText(head.sequence)}<br><code>${head.hash === '' ? 'no event' : head.hash}</code>`,
    ],
  ];
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Html(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Compliance report: ${name}</title>
<style>${new Html(styleSheet(footer))}</style>
</head>
<body>
<header>
<p class="kind">Compliance report</p>
<h1>${name}</h1>
${factList(facts, 'cover')}</header>
`;
}

export const contentsHtml = (sections: readonly Section[]): Html => markup`<nav class="contents">
<h2>Contents</h2>
${entryList(sections)}</nav>
`;

const entryList = (entries: readonly Pick<Section, 'id' | 'title' | 'parts'>[]): Html => markup`<ol>
${entries.map(
  ({ id, title, parts = [] }) =>
    markup`<li><a href="#${id}">${title}</a>${parts.length === 0 ? NOTHING : entryList(parts)}\n`,
)}</ol>
`;

export function aboutSection({ contents, times }: Report): Section {
  return {
    id: 'about',
    title: 'About this document',
    content: () => [
      markup`<p>This report is a part of a proof: a ZIP with the registers of the company as they were at the end of the period, the piece
of the audit log that led there, and the files of evidence. The service made it from that log. What is here is also in the registers
and events of the ZIP.</p>
<p>The report alone proves nothing: check the ZIP that it came from. README.txt in it has every command, with standard tools
and without the service. With Node.js 20 or later, and the public keys of the service from a source that you trust:</p>
<pre>node proof/verify.mjs proof.zip --key signing-keys.json</pre>
<p>This checks the signature, the SHA-256 of every file, this report included, and the chain of the audit log up to its head. The
sequence and the hash of the head are on the first page. A checkpoint, or a later proof, has the same hash at that sequence. The
check shows that nothing was changed, removed or inserted up to there. It does not show that what was recorded is true.</p>
<ul>
<li>The status at the start is that just before the period. All else about a record is that of ${times.text(contents.asOf)}.
<li>Changes have the names that people had at that time. “Not recorded then” is after a name that was recorded later.
<li>Dates and times are those of the time zone ${times.zone}.
<li>Descriptions and other long texts are in the registers and events of the ZIP.
${contents.frameworks === null ? NOTHING : LIMITED}</ul>
`,
    ],
  };
}

interface Numbers {
  posture: Posture;
  requirements: Collected;
  applicability: Applicability;
  tasks: Collected;
  vendors: Collected;
  reviews: Reviews;
}

export function numbersSection(
  { contents, registers, missing }: Report,
  { posture, requirements, applicability, tasks, vendors, reviews }: Numbers,
): Section {
  const { piece, evidence } = contents;
  const countOf = (type: Parameters<typeof registers.counts.get>[0]) => numberText(registers.counts.get(type) ?? 0);
  const events = piece.head.sequence - piece.before.sequence;
  const deleted = [requirements, tasks, vendors].reduce((sum, { deletedTotal }) => sum + deletedTotal, 0);
  const facts: Fact[] = [
    ['Requirements, with headings', numberText(requirements.total)],
    ['Requirements met', numberText(applicability.of('met'))],
    ['Tasks', numberText(tasks.total)],
    ['Tasks done', numberText(posture.all.of('done'))],
    ['Tasks overdue', numberText(posture.all.overdue)],
    ['Vendors', numberText(vendors.total)],
    ['Reviews of vendors in the period', numberText(reviews.total)],
    ['Vendors with an overdue review', numberText(reviews.overdue)],
    ['Comments', countOf('comment')],
    ['Questions', numberText(registers.questions.total)],
    ['Open questions', numberText(registers.questions.open)],
    ['Pieces of evidence', countOf('evidence')],
    ['Evidence accepted', numberText(registers.checks.get('accepted') ?? 0)],
    ['Evidence rejected', numberText(registers.checks.get('rejected') ?? 0)],
    ['Different files of evidence', numberText(registers.evidenceFiles.size)],
    ['Missing files', evidence ? numberText(missing.length) : 'files were left out'],
    ['Members, also former ones', countOf('member')],
    ['API keys', countOf('apiKey')],
    ['Deleted in the period', numberText(deleted)],
    [
      'Events of the log',
      events === 0
        ? 'none in the period'
        : `${numberText(events)} (${numberText(piece.before.sequence + 1)} to ${numberText(piece.head.sequence)})`,
    ],
  ];
  return { id: 'numbers', title: 'Numbers', content: () => [factList(facts, 'facts')] };
}
