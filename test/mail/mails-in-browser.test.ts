import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../support/app/accessibility.ts';
import { isWithoutChromium } from '../support/app/chromium.ts';
import { testInChromium } from '../support/app/shared-chromium.ts';
import { sampleMails } from '../support/fixtures/mails.ts';

const TEXTS = { company: 'Acme', person: 'Bob', title: `Review access rights ${'of everybody '.repeat(15)}` };
/** One mail of those that differ only in a line. */
const MAILS = Object.entries(sampleMails(TEXTS)).filter(([name]) => !name.startsWith('own ') || name === 'own prove');
const VIEWS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [375, 600].map((width) => ({ colorScheme, width })),
);

describe.skipIf(isWithoutChromium)('mails', () => {
  let browser: Browser;
  testInChromium.beforeAll(({ chromium }) => {
    browser = chromium;
  });

  test.for(VIEWS)('are readable in $colorScheme at $width pixels', async ({ colorScheme, width }) => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    for (const [name, { html }] of MAILS) {
      await page.setContent(html);
      await expectAccessible(page, name);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      for (const button of await page.locator('a.button').all())
        expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(40);
    }
    await page.close();
  });

  test('have all of their links without a style sheet, in the order of the text', async () => {
    const page = await browser.newPage();
    for (const [name, { html, text }] of MAILS) {
      await page.setContent(html.replace(/<style>[^]*<\/style>/, ''));
      const links = await page.locator('a').evaluateAll((found) => found.map((link) => link.getAttribute('href')));
      const urls = text.match(/(?<=^\s*|: )https:\/\/\S+$/gm);
      expect([name, links]).toEqual([name, urls ?? []]);
    }
    await page.close();
  });
});
