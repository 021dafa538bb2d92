import type { Page } from 'playwright-core';
import sanitizeHtmlLibrary from 'sanitize-html';
import { expect, test } from 'vitest';
import { sanitizeHtml, sanitizerOptions } from '../../entities/fields/sanitize-html.ts';
import { expectAccessible } from '../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../support/app/application.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';

// Each test stores a description, edits it in Chromium, and compares what is stored afterwards.

const { allowedTags, allowedAttributes } = sanitizerOptions(sanitizeHtmlLibrary);
const tags = allowedTags === false ? [] : (allowedTags ?? []);

const VALUES: Readonly<Record<string, string>> = {
  href: 'https://example.com/?a=1&amp;b=2',
  target: '_blank',
  rel: 'noopener',
  scope: 'col',
  type: 'a',
  dir: 'rtl',
  lang: 'fr',
  datetime: '2026-11-22',
  reversed: '',
};

/** Every attribute that the sanitizer allows for a tag. */
function attributesOf(tag: string): string {
  const names = Object.entries(allowedAttributes === false ? {} : (allowedAttributes ?? {}))
    .filter(([of]) => of === tag || of === '*')
    .flatMap(([, attributes]) => attributes.filter((name) => typeof name === 'string'));
  return names.map((name) => ` ${name}${VALUES[name] === '' ? '' : `="${VALUES[name] ?? '2'}"`}`).join('');
}

const element = (tag: string, content: string) => `<${tag}${attributesOf(tag)}>${content}</${tag}>`;
const point = (tag: string) => `<${tag}${attributesOf(tag)}>`;

const WITHIN_TABLE = ['caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'];
const VOID = new Set(['br', 'wbr', 'hr', 'col']);
const isPhrase = (tag: string) => !blocks.has(tag) && !VOID.has(tag);
const blocks = new Set(
  `address article aside footer header h1 h2 h3 h4 h5 h6 hgroup main nav section blockquote dd div dl dt figcaption figure hr
   li menu ol p pre ul ${WITHIN_TABLE.join(' ')} table`.split(/\s+/),
);

/** A description with every tag and attribute of the allow-list, each in a usual place. */
function wholeAllowList(): string {
  const row = element('tr', `${element('th', 'head')}${element('td', '<p>cell</p>\n text')}`);
  const table = element(
    'table',
    `\n  ${element('caption', 'caption')}${element('colgroup', point('col'))}
    ${element('thead', row)}${element('tbody', `\n${row}`)}${element('tfoot', row)}`,
  );
  const list = (tag: string) =>
    element(
      tag,
      `\n  ${element('li', 'item')}\n  ${element('li', `${element('p', 'item')}<ul><li>nested</li></ul>`)}\n`,
    );
  const phrases = tags.filter(isPhrase).map((tag) => element(tag, `of ${tag}`));
  const others = tags.filter(
    (tag) =>
      blocks.has(tag) && ![...WITHIN_TABLE, 'table', 'ul', 'ol', 'menu', 'li', 'hr', 'dl', 'dt', 'dd'].includes(tag),
  );
  return [
    element(
      'p',
      `Start ${phrases.join('')} <b><i>x</i></b><i><b>y</b></i><b>1</b><b>2</b><strong>z</strong> &amp; &lt;${point('br')}a${element('wbr', '')}b<a title="here"></a>`,
    ),
    ...['ul', 'ol', 'menu'].map(list),
    table,
    point('hr'),
    ...others.map((tag) => element(tag, `in ${tag}`)),
    element('dl', `${element('dt', 'term')}\n${element('dd', 'definition')}`),
    element('p', 'End'),
  ].join('\n');
}

/** Opens the page of a new vendor with this description. */
async function openVendor(description: string) {
  const ann = await createMember(await createCompany());
  const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd', description });
  const page = await openAs(ann, `/vendors/${vendor}`);
  return { ann, page, stored: async () => ann.caller.vendor.get({ vendor }) };
}

const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Description' });

/** Types at the end of the editor, and leaves it. */
async function typeAtEnd(page: Page, text: string): Promise<void> {
  await editorOf(page).press('Control+End');
  await page.keyboard.type(text);
  await page.getByLabel('Name').focus();
  await page.getByText('Saved', { exact: true }).first().waitFor();
}

describeInBrowser('the editor of descriptions', () => {
  test('keeps every tag and attribute that the sanitizer allows, except for the edited word', async () => {
    const description = wholeAllowList();
    for (const tag of tags) expect(description).toContain(`<${tag}`);
    expect(sanitizeHtml(description)).toBe(description);
    const { page, stored } = await openVendor(description);
    await typeAtEnd(page, 'ing');
    expect((await stored()).description).toBe(description.replace('>End<', '>Ending<'));
    await expectAccessible(page);
  });

  test('saves nothing if nobody edits', async () => {
    const { page, stored } = await openVendor(wholeAllowList());
    await editorOf(page).focus();
    await page.keyboard.press('Control+End');
    await page.getByLabel('Name').fill('Cloud Inc');
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    expect(await stored()).toMatchObject({ version: 2, name: 'Cloud Inc', description: wholeAllowList() });
  });

  test('keeps text without HTML as text, with its ampersands and line breaks', async () => {
    const { page, stored } = await openVendor('R&D\r\nand\ntests');
    await typeAtEnd(page, ' & more');
    expect((await stored()).description).toBe('R&D\r\nand\ntests & more');
  });

  test('shows text with angle brackets as it was sent, and keeps it as text', async () => {
    const { page, stored } = await openVendor('R&D: Ann <ann@vendor.example>\nor <to be named>');
    await page.getByText('R&D: Ann <ann@vendor.example>').first().waitFor();
    await typeAtEnd(page, ' < 3');
    expect((await stored()).description).toBe('R&amp;D: Ann &lt;ann@vendor.example&gt;\nor &lt;to be named&gt; &lt; 3');
  });

  test('writes new paragraphs as HTML, and escapes what a person types', async () => {
    const { page, stored } = await openVendor('');
    await typeAtEnd(page, 'a < b\nc');
    expect((await stored()).description).toBe('<p>a &lt; b</p><p>c</p>');
  });

  test('keeps what is typed and pasted before the editor has loaded, also if the focus has left', async () => {
    const { page, stored } = await openVendor('<p>Hosts</p>');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/assets/rich-text-*.js', async (route) => {
      await released;
      await route.continue();
    });
    await editorOf(page).focus();
    await page.keyboard.type(' our');
    await page.evaluate(
      `(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData('text/plain', ' data');
        const paste = { inputType: 'insertFromPaste', dataTransfer, bubbles: true, cancelable: true };
        document.activeElement.dispatchEvent(new InputEvent('beforeinput', paste));
      })()`,
    );
    await page.getByLabel('Name').focus();
    release();
    await expect.poll(async () => (await stored()).description).toBe('<p>Hosts our data</p>');
  });

  test('keeps the selection of all text if it is made between loading and showing the editor', async () => {
    const { page, stored } = await openVendor('<p>Hosts our data</p>');
    // React posts a message to itself before it shows the loaded editor.
    await page.evaluate(
      `(() => {
        const post = MessagePort.prototype.postMessage;
        MessagePort.prototype.postMessage = function (...message) {
          const { activeElement } = document;
          if (activeElement.isContentEditable && !activeElement.matches('.rich-text')) document.execCommand('selectAll');
          post.apply(this, message);
        };
      })()`,
    );
    await editorOf(page).focus();
    await page.locator('.ProseMirror').waitFor();
    await page.keyboard.type('Stores');
    await page.getByLabel('Name').focus();
    await expect.poll(async () => (await stored()).description).toBe('Stores');
  });

  test('edits a structure that it cannot show as HTML', async () => {
    const { page, stored } = await openVendor('<b><p>one</p></b>');
    await editorOf(page).click();
    await page.getByRole('button', { name: 'Edit as HTML' }).click();
    await editorOf(page).fill('<b><p>two</p></b>');
    await page.getByLabel('Name').focus();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    expect((await stored()).description).toBe('<b><p>two</p></b>');
  });

  test('formats the selection, sets links and starts lists with the toolbar', async () => {
    const { page, stored } = await openVendor('<p>Hosts <b>our</b> data</p>');
    await editorOf(page).press('Control+a');
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Italic' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Italic' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Address').fill('example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Set link' }).click();
    await page.getByRole('button', { name: 'Bulleted list' }).click();
    await page.getByLabel('Name').focus();
    await expect
      .poll(async () => (await stored()).description)
      .toBe(
        '<ul><li><p><em><a href="https://example.com">Hosts </a></em><b><em><a href="https://example.com">our</a></em></b><em><a href="https://example.com"> data</a></em></p></li></ul>',
      );
  });

  test('shows its tools while the text has the focus, moves nothing for them, and reaches them with the keyboard', async () => {
    const { page, stored } = await openVendor('');
    const tools = page.getByRole('group', { name: 'Formatting' });
    await editorOf(page).waitFor();
    await page.getByText('created this vendor').waitFor();
    await page.getByText('Evidence is files and links that prove what was done.').waitFor(); // the parts above the history have loaded
    expect(await tools.count()).toBe(0);
    const places = () =>
      page.evaluate<number[]>(
        "[...document.querySelectorAll('[role=textbox], #history, .timeline')].map((part) => part.getBoundingClientRect().top)",
      );
    for (const { width, end } of [
      { width: 375, end: 'Nobody has commented yet.' },
      { width: 1280, end: 'created this vendor' },
    ]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByText(end).waitFor();
      const before = await places();
      const { height } = (await editorOf(page).boundingBox()) ?? { height: 0 };
      expect(height).toBeLessThan(40);
      await page.evaluate('document.querySelector("[role=textbox]").focus({ preventScroll: true })');
      await tools.waitFor();
      expect(await places()).toEqual(before);
      await expectAccessible(page);
      await page.getByLabel('Name').focus();
      await tools.waitFor({ state: 'hidden' });
    }
    await editorOf(page).focus();
    await page.keyboard.type('Hosts data');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Alt+F10');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Redo');
    await page.getByLabel('Name').focus();
    await expect.poll(async () => (await stored()).description).toBe('<strong>Hosts data</strong>');
  });
});
