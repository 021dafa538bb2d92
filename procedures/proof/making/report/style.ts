/** A text in the style sheet, where no character of it ends the text or the sheet. */
const cssText = (text: string): string =>
  `"${text.replaceAll(/[^\p{L}\p{N} ,.:]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)} `)}"`;

/** Style of the report on the screen and on A4. @param footer text at the foot of each printed page */
export const styleSheet = (footer: string): string => `
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
.e code, dd code { white-space: nowrap; }
.facts code { font-size: 0.625rem; }
@media print {
  @page { size: A4; margin: 18mm 16mm 20mm;
    @bottom-left { content: ${cssText(footer)}; font: 7.5pt Arial, sans-serif; color: #5b6470; }
    @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 7.5pt Arial, sans-serif; color: #5b6470; } }
  html { font-size: 11px; }
  body { max-width: none; padding: 0; }
  #about, #tasks, h3 ~ h3 { break-before: page; }
  h1 { margin-top: 15mm; }
  article { break-inside: avoid; }
  thead { display: table-header-group; }
  a { color: inherit; }
}
`;
