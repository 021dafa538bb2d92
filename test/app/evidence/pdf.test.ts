import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import { addFile, createTask, evidenceOf, nameButton } from '../../support/app/evidence.ts';

/** A PDF with one line of text on each page. */
function pdfOf(texts: string[], trailer = ''): Buffer {
  const pages = texts.map((_, index) => `${4 + index * 2} 0 R`);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.join(' ')}] /Count ${texts.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...texts.flatMap((text, index) => {
      const content = `BT /F1 48 Tf 40 400 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  return Buffer.from(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`,
  );
}

const HASH = `<${'41'.repeat(32)}>`;
const ENCRYPTED = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${HASH} /U ${HASH} /P -4 >> /ID [<41> <41>]`;

const libraryFiles = (page: Page): Promise<unknown> =>
  page.evaluate(
    `performance.getEntriesByType('resource').filter(({ name }) => /pdf-pages|pdf\\.worker/.test(name)).length`,
  );

/** The number of dark pixels of each picture in the frame. */
const DARK_PIXELS = `[...document.images].map((image) => {
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, index) => index % 4 === 0 && value < 100).length;
})`;

async function openPdf(buffer: Buffer): Promise<Page> {
  const { ann, taskUniqueId, path } = await createTask();
  await addFile(ann, `task/${taskUniqueId}`, { name: 'Report.pdf', mimeType: 'application/pdf', buffer });
  const page = await openAs(ann, path);
  await nameButton(page, 'Report.pdf').waitFor();
  expect(await libraryFiles(page)).toBe(0);
  await nameButton(page, 'Report.pdf').click();
  return page;
}

describeInBrowser('the preview of a PDF', () => {
  test('shows the pages as pictures in a frame without permissions, and ends its worker', async () => {
    const page = await openPdf(pdfOf(['Access review', 'Second page']));
    const frame = evidenceOf(page).locator('iframe');
    await frame.waitFor();
    expect(await frame.getAttribute('sandbox')).toBe('');
    expect(await frame.getAttribute('src')).toMatch(/^blob:/);
    const body = frame.contentFrame().locator('body');
    await expect
      .poll(() => body.evaluate(DARK_PIXELS))
      .toEqual([expect.toSatisfy((count) => count > 500), expect.toSatisfy((count) => count > 500)]);
    expect(await libraryFiles(page)).toBe(2);
    expect(page.workers()).toEqual([]);
  });

  test('shows the first 20 pages of a long file, and says so', async () => {
    const page = await openPdf(pdfOf(Array.from({ length: 21 }, (_, index) => `Page ${index}`)));
    await evidenceOf(page).getByText('20 of 21 pages; download the file for the rest.').waitFor();
    await expect.poll(() => evidenceOf(page).locator('iframe').contentFrame().locator('img').count()).toBe(20);
  });

  test.each([
    ['a broken file', Buffer.from('%PDF-1.7'), 'The browser cannot read this as a PDF.'],
    ['a file with a password', pdfOf(['Secret'], ENCRYPTED), 'This PDF has a password.'],
  ])('says for %s that it has to be downloaded', async (_, buffer, text) => {
    const page = await openPdf(buffer);
    await evidenceOf(page).getByText(text).waitFor();
    expect(await evidenceOf(page).locator('iframe').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Download file', exact: true }).count()).toBe(1);
  });
});
