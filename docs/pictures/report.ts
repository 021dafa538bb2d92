import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { readZip } from '../../test/support/proof/zip.ts';

/** Printed pages that get a picture. */
const PAGES = [1, 2, 3];
const PERIOD_DAYS = 90;
const DAY_MS = 86_400_000;
const POLL_MS = 200;

const Created = z.object({ result: z.object({ data: z.object({ uniqueId: z.string() }) }) });

interface Given {
  origin: string;
  images: string;
  /** For the printed report. */
  folder: string;
}

/** Takes pictures of the report of a proof: on the screen, and of printed pages, with pdftoppm. @param page with the session of an admin */
export async function takeReportPictures(page: Page, { origin, images, folder }: Given): Promise<void> {
  const report = await makeReport(page, origin);
  const sheet = await page.context().newPage();
  await sheet.setContent(report);
  const place = sheet.locator('#t1').locator('..');
  await place.evaluate((element) => element.scrollIntoView());
  await sheet.screenshot({ path: join(images, 'report-screen.png'), scale: 'css' });
  const pdf = join(folder, 'report.pdf');
  await sheet.pdf({ path: pdf, preferCSSPageSize: true, printBackground: true });
  for (const number of PAGES) {
    const one = ['-f', String(number), '-l', String(number), '-singlefile', '-r', '80', '-png'];
    await promisify(execFile)('pdftoppm', [...one, pdf, join(images, `report-page-${number}`)]);
  }
}

/** Makes a proof of the last months. */
async function makeReport(page: Page, origin: string): Promise<string> {
  const headers = { Origin: origin, 'Content-Type': 'application/json' };
  const from = new Date(Date.now() - PERIOD_DAYS * DAY_MS).toISOString();
  const created = await page.request.post(`${origin}/trpc/proof.create`, { headers, data: { from } });
  const { uniqueId } = Created.parse(await created.json()).result.data;
  for (;;) {
    const content = await page.request.get(`${origin}/session/proof/${uniqueId}/content`, { headers });
    if (content.ok())
      return (
        readZip(await content.body())
          .get('report.html')
          ?.toString() ?? ''
      );
    if (content.status() !== 404) throw new Error(await content.text());
    await wait(POLL_MS);
  }
}
