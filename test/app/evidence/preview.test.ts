import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { PNG, addFile, createTask, evidenceOf, nameButton } from '../../support/app/evidence.ts';

const SCRIPT = '<script>parent.document.title = "broken"; alert(1)</script>';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`;

/** Opens the page of a task with a file, and unfolds the file. */
async function openFile(name: string, mimeType: string, buffer: Buffer): Promise<Page> {
  const { ann, taskUniqueId, path } = await createTask();
  await addFile(ann, `task/${taskUniqueId}`, { name, mimeType, buffer });
  const page = await openAs(ann, path);
  await nameButton(page, name).click();
  await page.getByLabel('Name of the evidence').waitFor();
  return page;
}

const frameOf = (page: Page) => evidenceOf(page).locator('iframe');

describeInBrowser('the preview of a file', () => {
  test('shows a picture in a frame without permissions, from a blob: address', async () => {
    const page = await openFile('Review.png', 'image/png', PNG);
    const frame = frameOf(page);
    await frame.waitFor();
    expect(await frame.getAttribute('sandbox')).toBe('');
    expect(await frame.getAttribute('src')).toMatch(/^blob:/);
    expect(await frame.getAttribute('title')).toBe('Preview of Review.png');
    const picture = frame.contentFrame().locator('img');
    await picture.waitFor();
    await expect.poll(() => picture.evaluate('document.images[0].naturalWidth')).toBe(10);
    expect(await picture.getAttribute('src')).toMatch(/^data:image\/png;base64,/);
    await expectAccessible(page);
  });

  test.each([
    ['Diagram.svg', 'image/svg+xml', Buffer.from(SVG), 'Files of this kind have no preview.'],
    ['Report.html', 'text/html', Buffer.from(`<h1>Report</h1>${SCRIPT}`), 'Files of this kind have no preview.'],
    ['Fake.png', 'image/png', Buffer.from(`<h1>Report</h1>${SCRIPT}`), 'The browser cannot read this as a picture.'],
  ])('never renders %s of the type %s', async (name, mimeType, buffer, text) => {
    const page = await openFile(name, mimeType, buffer);
    await evidenceOf(page).getByText(text).waitFor();
    expect(await frameOf(page).count()).toBe(0);
    expect(await page.title()).toBe('Review · Compliance');
    expect(await page.getByRole('link', { name: `Download ${name}` }).count()).toBe(1);
  });

  test('leaves the file to a download with its name', async () => {
    const page = await openFile('Review.png', 'image/png', PNG);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download Review.png' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Review.png');
    const content = await Array.fromAsync(await download.createReadStream());
    expect(Buffer.concat(content).equals(PNG)).toBe(true);
  });
});
