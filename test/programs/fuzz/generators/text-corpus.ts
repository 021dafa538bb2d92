import * as fc from 'fast-check';

// Text that often causes defects, by kind.

const C0_CONTROLS = Array.from({ length: 31 }, (_, code) => String.fromCharCode(code + 1)).join('');
const C1_CONTROLS = Array.from({ length: 33 }, (_, code) => String.fromCharCode(code + 127)).join('');

/** Text that every text field accepts. */
const VALID_TEXTS = [
  // White space that is trimmed, and similar characters that are not.
  ' a ',
  '\ta\n',
  '\u00a0a\u3000',
  '\u200ba\u200b',
  '\ufeffa',
  'a\u2028b\u2029c',
  '\u180ea',
  '\u2060a',
  'a\u0085',
  // Right-to-left scripts and directional controls.
  '\u202eevil\u202c',
  'مرحبا بالعالم',
  'שלום \u200fעולם',
  '\u2066a\u2069',
  'abc\u061cdef',
  '\u200ea\u200f',
  // Combining characters and normalization forms.
  'e\u0301',
  '\u00e9',
  'Z\u0351\u036b\u0343',
  'a'.concat('\u0300'.repeat(60)),
  'ﬁ',
  'Å',
  '각',
  '\u1100\u1161\u11a8',
  '\u0338',
  // Characters beyond the Basic Multilingual Plane, and noncharacters.
  '😀',
  '👩‍👩‍👧‍👦',
  '🏳️‍🌈',
  '🇦🇶',
  '𝔘𝔫𝔦',
  '𠮷野家',
  '\u{10ffff}',
  '\u{1f3fb}',
  '\ufffd',
  '\uffff',
  '\ufdd0',
  '\ue000',
  // Case mappings that are not one to one.
  'İstanbul',
  'ıIiİ',
  'ß ẞ SS',
  'ΣΊΣΥΦΟΣ ς',
  'ŉ',
  'ǆ ǅ Ǆ',
  'ﬀ',
  'ſ',
  // Numbers and keywords of programming languages.
  '0',
  '-1',
  '1e9',
  '0x1F',
  '１２３',
  '٣',
  'NaN',
  'Infinity',
  'null',
  'NULL',
  'undefined',
  'true',
  'None',
  '[object Object]',
  '\\N',
  '-',
  // SQL syntax.
  "'",
  "''",
  "' or '1'='1' --",
  '"; drop table vendor; --',
  "'||pg_sleep(9)||'",
  '$1',
  ':company',
  ':name::text',
  '?',
  '??',
  '%',
  '_',
  '\\',
  '%_\\%',
  "\\'",
  '$$x$$',
  "E'\\x41'",
  '/* */',
  '{1,2}',
  '{"a":1}',
  '(a,b)',
  // Syntax of HTML, shells, paths and templates.
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '&lt;b&gt; &amp;',
  '<',
  '>',
  '&',
  '${7*7}',
  '{{7*7}}',
  '#{7}',
  '$(id)',
  '`id`',
  '; rm -rf / #',
  '| cat',
  '&& ls',
  '../../../etc/passwd',
  '..\\..\\',
  '/dev/null',
  'C:\\',
  'file:///etc',
  'javascript:alert(1)',
  '%00',
  '%2e%2e%2f',
  '%s%n%d',
  '\r\nX-Injected: 1',
  'a\r\nb',
  // Names that JavaScript or the service use.
  '__proto__',
  'constructor',
  'uniqueId',
  'company_id',
  'X-API-Key',
  'svc_sk_live_',
  'toString',
  C0_CONTROLS,
  C1_CONTROLS,
  '\u001b[31mred\u001b[0m',
  '\u0007',
  'a'.repeat(250),
];

/** Text that no field accepts: NUL and unpaired surrogates. */
export const INVALID_TEXTS = [
  '\0',
  'a\0',
  '\0\0\0',
  '\ud800',
  'a\udc00b',
  '\ud83d',
  '\ude00\ud83d',
  '😀\ud83d',
  `${'x'.repeat(20)}\udfff`,
];

const ODD_LENGTHS: readonly unknown[] = [{ toString: null }, { valueOf: 3 }, [], null, 'abc', -1];

/** JSON of types that no field accepts, with properties such as `length` that validation code may read. */
export const ODD_OBJECTS: readonly unknown[] = [
  { toString: null },
  { toString: null, valueOf: null },
  { toJSON: null },
  { constructor: null },
  { length: { length: { toString: null } } },
  ...ODD_LENGTHS.flatMap((length) => [{ length }, { size: length }]),
].flatMap((odd) => [odd, [odd]]);

/** Code point ranges: scripts and kinds of characters. */
const RANGES = [
  [0x20, 0x7e],
  [0xa1, 0x17f],
  [0x300, 0x36f],
  [0x370, 0x3ff],
  [0x590, 0x5ff],
  [0x600, 0x6ff],
  [0x900, 0x97f],
  [0xe00, 0xe7f],
  [0x1100, 0x11ff],
  [0x2000, 0x206f],
  [0x20a0, 0x20bf],
  [0x3040, 0x30ff],
  [0x4e00, 0x4fff],
  [0xfe00, 0xfe0f],
  [0x1f300, 0x1f6ff],
  [0xe0100, 0xe01ef],
] as const;

const rangeText = fc
  .constantFrom(...RANGES)
  .chain(([min, max]) => fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 12 }))
  .map((codes) => String.fromCodePoint(...codes));

/** Valid text that is not blank, with at most `maxLength` UTF-16 units. */
export const validText = (maxLength: number): fc.Arbitrary<string> => {
  const fixed = fc.constantFrom(...VALID_TEXTS);
  const mixed = fc.array(fc.oneof(fixed, rangeText), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
  return fc
    .oneof(fixed, rangeText, mixed)
    .map((text) => text.slice(0, maxLength).toWellFormed().replaceAll('\ufffd', '?'))
    .filter((text) => text.trim() !== '');
};

const TAGS = [
  'p',
  'b',
  'a',
  'table',
  'tr',
  'td',
  'ul',
  'li',
  'script',
  'style',
  'svg',
  'math',
  'iframe',
  'img',
  'br',
  'textarea',
  'title',
  'noscript',
  'xmp',
  'template',
  'select',
  'option',
  'P',
  'bdo',
  'form',
];
const ATTRIBUTES = [
  'href="https://a.example/?a=1&b=2"',
  "href='javascript:x'",
  'href=" jav\tascript:x"',
  'onclick=x',
  'style="a:b"',
  'title="<b>"',
  'colspan=2',
  'dir=rtl',
  'href="//x"',
  'href="&#106;avascript:x"',
  'name=x',
  'lang',
  '"',
  '=',
  '/',
];
const FRAGMENTS = [
  'text',
  '&',
  '&lt;',
  '&amp;amp;',
  '&#60;',
  '&nbsp;',
  '&notanentity;',
  '<',
  '>',
  '</',
  '<!--',
  '-->',
  '<!DOCTYPE html>',
  '<![CDATA[',
  ']]>',
  '<?php ?>',
  '"',
  '\n',
  ' ',
  '😀',
  '\u00a0',
  '<<',
  '<a',
  '</ p>',
  '<p/',
  '\u2028',
];

/** Valid and invalid HTML. */
export const markup: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(...FRAGMENTS),
      fc.constantFrom(...TAGS).map((tag) => `</${tag}>`),
      fc
        .tuple(fc.constantFrom(...TAGS), fc.array(fc.constantFrom(...ATTRIBUTES), { maxLength: 3 }))
        .map(([tag, attributes]) => `<${[tag, ...attributes].join(' ')}>`),
      validText(30),
    ),
    { minLength: 1, maxLength: 25 },
  )
  .map((parts) => parts.join(''));

/** A tag of sanitized HTML: all attribute values are quoted and have no quotation mark or angle bracket. */
const TAG = /^<(?:\/[a-z][a-z0-9]*|([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*))>/;
const ATTRIBUTE = / ([a-z-]+)(?:="([^"]*)")?/g;
const ACTIVE_TAG =
  /^(script|style|iframe|svg|math|img|object|embed|form|textarea|template|base|link|meta|noscript|xmp)$/;
const ACTIVE_ATTRIBUTE = /^(on.*|style|src|srcset|srcdoc|action|formaction|data|xlink.*)$/;
const ACTIVE_URL = /^(javascript|data|vbscript):/i;
const NAMED_ENTITIES: Record<string, string> = {
  quot: '"',
  amp: '&',
  lt: '<',
  gt: '>',
  colon: ':',
  Tab: '\t',
  NewLine: '\n',
};

/** Decodes an attribute value like a browser, which ignores white space and control characters in a URL. */
const asUrl = (value: string) =>
  value
    .replaceAll(/&#x([0-9a-f]+);?/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(/&#(\d+);?/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&(\w+);/g, (entity, name: string) => NAMED_ENTITIES[name] ?? entity)
    // oxlint-disable-next-line eslint/no-control-regex -- removes control characters
    .replaceAll(/[\u0000-\u0020\u00a0\u2028\u2029]/g, '');

/** Finds a script, an active URL or malformed markup in sanitized HTML. Returns undefined for safe HTML. */
export function findActiveContent(html: string): string | undefined {
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    const [tag, name = '', attributes = ''] = TAG.exec(html.slice(at)) ?? [];
    if (tag === undefined) return html.slice(at, at + 100);
    if (ACTIVE_TAG.test(name)) return tag;
    for (const [, attribute = '', value = ''] of attributes.matchAll(ATTRIBUTE))
      if (ACTIVE_ATTRIBUTE.test(attribute) || ACTIVE_URL.test(asUrl(value))) return tag;
  }
  return undefined;
}
