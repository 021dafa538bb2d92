import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { sampleReport } from './report-sample/report.ts';

/** Printed pages that get a picture. */
const PAGES = [1, 2, 4];

/** Takes pictures of the report of a proof: on the screen, and of printed pages, with pdftoppm. @param images folder of the pictures */
export async function takeReportPictures(browser: Browser, images: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'report-'));
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.setContent(await sampleReport(folder));
    const place = page.locator('#t4').locator('..');
    await place.evaluate((element) => element.scrollIntoView());
    await page.screenshot({ path: join(images, 'report-screen.png') });
    const pdf = join(folder, 'report.pdf');
    await page.pdf({ path: pdf, preferCSSPageSize: true, printBackground: true });
    for (const number of PAGES) {
      const one = ['-f', String(number), '-l', String(number), '-singlefile', '-r', '80', '-png'];
      await promisify(execFile)('pdftoppm', [...one, pdf, join(images, `report-page-${number}`)]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
