import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sanitizeFully, sanitizeHtml } from '../../procedures/schemas/html/sanitize-html.ts';
import { isSimpleHtml } from '../../procedures/schemas/html/simple-html.ts';
import { createCompany } from '../support/tenants/company.ts';

describe('allowed HTML is unchanged:', () => {
  test.for([
    'plain text',
    'R&D, "quotes" > and entities &lt;b&gt; &amp;',
    '<p>One</p><p><strong>two</strong> <em>three</em> <u>four</u></p>',
    '<ul><li>a</li><li>b<br>c</li></ul><hr>',
    '<h1>Title</h1><blockquote>Said</blockquote><pre>  code\n</pre><code>x</code>',
    '<a href="https://example.com/a?b=1" target="_blank" rel="noopener">link</a><a href="mailto:a@b.c">mail</a>',
    '<table><thead><tr><th scope="col">h</th></tr></thead><tbody><tr><td colspan="2">d</td></tr></tbody></table>',
    '<p>ü € 😀</p>',
  ])('%s', (html) => expect(sanitizeHtml(html)).toBe(html));
});

describe('active content is removed from', () => {
  test.for([
    ['<script>alert(1)</script>after', 'after'],
    ['<p onclick="alert(1)" onmouseover=x>text</p>', '<p>text</p>'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="  JaVaScRiPt:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,x">x</a>', '<a>x</a>'],
    ['<a href="//evil.example">x</a>', '<a>x</a>'],
    ['<p style="position:fixed">x</p><style>p{}</style>', '<p>x</p>'],
    ['<iframe src="https://x"></iframe><object></object><embed>y', 'y'],
    ['<img src=x onerror=alert(1)>z', 'z'],
    ['<svg><script>1</script></svg>w', 'w'],
    ['<b>unclosed', '<b>unclosed</b>'],
  ])('%s', ([html, sanitized]) => expect(sanitizeHtml(html ?? '')).toBe(sanitized));
});

const fragments = fc.constantFrom(
  '<',
  '>',
  '</',
  ' />',
  '<b',
  '<br>',
  '<a href="',
  '"',
  "'",
  '&',
  '&lt;',
  '&amp',
  '<!--',
  '-->',
  '<script',
  'x',
  ' ',
  '\n',
  '/',
  '=',
  '<p>',
  '</p>',
  '<td>',
  'on',
  '\u00a0',
);
const markup = fc.oneof(
  fc.string(),
  fc.array(fragments, { maxLength: 30 }).map((parts) => parts.join('')),
);

test('sanitizing is idempotent', () => {
  const idempotent = fc.property(markup, (html) => {
    const sanitized = sanitizeHtml(html);
    expect(sanitizeHtml(sanitized)).toBe(sanitized);
  });
  fc.assert(idempotent, { numRuns: 20000 });
});

const TAGS = ['p', 'ol', 'ul', 'li', 'b', 'code', 'em', 'i', 's', 'strong', 'sub', 'sup', 'u'];
const TEXTS = [
  'a',
  ' b ',
  '\n',
  '\r\n',
  '\t',
  '"',
  "'",
  '/',
  '=',
  'ü €',
  '\u00a0',
  '\u2028',
  '\u0000',
  '<br>',
  'on',
  '\\',
  '`',
  '\ufeff',
];
/** HTML that is often simple and properly nested, and otherwise nearly so. */
const nearlySimpleHtml = fc
  .array(fc.constantFrom(...TEXTS, ...TAGS.flatMap((tag) => [`<${tag}>`, `</${tag}>`])), { maxLength: 8 })
  .map((parts) => parts.join(''));
const { nested: nestedHtml } = fc.letrec<{ nested: string }>((tie) => ({
  nested: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...TEXTS),
    fc
      .tuple(fc.constantFrom(...TAGS), fc.array(tie('nested'), { maxLength: 3 }))
      .map(([tag, inner]) => `<${tag}>${inner.join('')}</${tag}>`),
  ),
}));

test('the sanitizer does not change simple HTML', () => {
  let simpleCount = 0;
  const unchanged = fc.property(
    fc.oneof(
      markup,
      nearlySimpleHtml,
      nestedHtml,
      fc.tuple(nestedHtml, nestedHtml, nearlySimpleHtml).map((parts) => parts.join('')),
    ),
    (html) => {
      if (!isSimpleHtml(html)) return;
      simpleCount += html.includes('<') ? 1 : 0;
      expect(sanitizeFully(html)).toBe(html);
    },
  );
  fc.assert(unchanged, { numRuns: 50_000 });
  expect(simpleCount).toBeGreaterThan(5000);
});

test('text without a < is unchanged', () => {
  const unchanged = fc.property(markup, (html) => {
    const text = html.replaceAll('<', '');
    expect(sanitizeHtml(text)).toBe(text);
  });
  fc.assert(unchanged, { numRuns: 1000 });
});

test('descriptions of tasks and vendors are sanitized on creation and on update', async () => {
  const { task, vendor, newTask } = await createCompany();
  const description = '<p onclick="x()">Kept<script>alert(1)</script></p>';
  const created = await newTask({ description });
  expect(created.description).toBe('<p>Kept</p>');
  await task.update({ taskUniqueId: created.uniqueId, description: `${description}<b>2</b>` });
  expect(await task.get({ taskUniqueId: created.uniqueId })).toMatchObject({ description: '<p>Kept</p><b>2</b>' });
  const { uniqueId } = await vendor.create({ name: 'Cloud Ltd', description });
  expect(await vendor.get({ vendor: uniqueId })).toMatchObject({ description: '<p>Kept</p>' });
  await vendor.update({ vendor: uniqueId, description: `${description}<b>2</b>` });
  expect(await vendor.get({ vendor: uniqueId })).toMatchObject({ description: '<p>Kept</p><b>2</b>' });
});
