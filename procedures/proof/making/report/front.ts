import type { Report, Section } from './context.ts';
import { Html, NOTHING, markup } from './text/html.ts';
import type { Collected } from './collect.ts';
import { factList } from './record.ts';
import type { Fact } from './record.ts';
import type { Posture } from './posture.ts';
import type { Reviews } from './reviews.ts';
import { styleSheet } from './style.ts';
import { countText, numberText } from './text/words.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
const LIMITED = markup`<li>Tasks, with their comments and evidence, are those of the frameworks on the first page. All else is of the whole company.
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
      : `The tasks of ${listText(others)}, with their comments and evidence`;
  return [
    ['Frameworks', markup`<strong>Only ${listText(nameOf(true))}</strong>`],
    ['Left out', leftOut],
  ];
}

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
  tasks: Collected;
  vendors: Collected;
  reviews: Reviews;
}

export function numbersSection(
  { contents, registers, missing }: Report,
  { posture, tasks, vendors, reviews }: Numbers,
): Section {
  const { piece, evidence } = contents;
  const countOf = (type: Parameters<typeof registers.counts.get>[0]) => numberText(registers.counts.get(type) ?? 0);
  const events = piece.head.sequence - piece.before.sequence;
  const facts: Fact[] = [
    ['Tasks', numberText(tasks.total)],
    ['Tasks done', numberText(posture.all.of('done'))],
    ['Tasks overdue', numberText(posture.all.overdue)],
    ['Vendors', numberText(vendors.total)],
    ['Reviews of vendors in the period', numberText(reviews.total)],
    ['Vendors with an overdue review', numberText(reviews.overdue)],
    ['Comments', countOf('comment')],
    ['Pieces of evidence', countOf('evidence')],
    ['Different files of evidence', numberText(registers.evidenceFiles.size)],
    ['Missing files', evidence ? numberText(missing.length) : 'files were left out'],
    ['Members, also former ones', countOf('member')],
    ['API keys', countOf('apiKey')],
    ['Deleted in the period', numberText(tasks.deletedTotal + vendors.deletedTotal)],
    [
      'Events of the log',
      events === 0
        ? 'none in the period'
        : `${numberText(events)} (${numberText(piece.before.sequence + 1)} to ${numberText(piece.head.sequence)})`,
    ],
  ];
  return { id: 'numbers', title: 'Numbers', content: () => [factList(facts, 'facts')] };
}
