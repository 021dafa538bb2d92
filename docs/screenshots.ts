// Takes the pictures of the README and of the guides: npm run docs:screenshots. It needs Chromium, pdftoppm, and a built application
// (npm run build:app).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServiceProcess, stopServiceProcess } from '../test/support/servers/service-process.ts';
import { launchChromium } from '../test/support/app/chromium.ts';
import { takeReportPictures } from './report-pictures.ts';

const IMAGES = new URL('images/', import.meta.url);
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** Tasks of a company that prepares for a certificate. */
const TASKS = [
  { title: 'Review the access rights of all administrators', status: 'in_progress', priority: 1, dueDate: inDays(2) },
  { title: 'Restore a backup into an empty environment', status: 'todo', priority: 2, dueDate: inDays(5) },
  { title: 'Agree on the scope with the external auditor', status: 'in_review', priority: 2, dueDate: inDays(9) },
  { title: 'Assess the new payroll provider', status: 'todo', priority: 3, dueDate: inDays(12) },
  { title: 'Train new employees in information security', status: 'in_progress', priority: 3, dueDate: inDays(20) },
  { title: 'Update the list of processing activities', status: 'todo', priority: 4, dueDate: inDays(30) },
  { title: 'Test the alarm chain of the incident process', status: 'done', priority: 2 },
  { title: 'Encrypt the disks of all laptops', status: 'done', priority: 1 },
];

const dataDir = await mkdtemp(join(tmpdir(), 'screenshots-'));
const service = await startServiceProcess({ DATA_DIR: dataDir });
const browser = await launchChromium();
try {
  const invitation = /http:\/\/\S+\/invitation\/\S+/.exec(service.stderr)?.[0] ?? '';
  const key = /svc_sk_live_\w+/.exec(service.stderr)?.[0] ?? '';
  const { origin } = new URL(invitation);
  const send = async (method: string, path: string, body: object): Promise<string> => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const response = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.headers.get('Location') ?? '';
  };
  for (const { status, ...task } of TASKS) {
    const location = await send('POST', '/external/task/framework/1/new', task);
    await send('PATCH', location.replace(/item$/, 'edit'), { status });
  }
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  await page.goto(invitation);
  await page.getByLabel('Name').fill('Ann Lee');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button').first().click();
  await page.getByRole('navigation').first().waitFor();
  const picture = async (name: string, fullPage = false) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
      await page.screenshot({ path: fileURLToPath(new URL(`${name}-${colorScheme}.png`, IMAGES)), fullPage });
    }
  };
  await page.goto(`${origin}/tasks?framework=1`);
  await page.getByRole('link', { name: TASKS[0]?.title ?? '' }).waitFor();
  await picture('tasks');
  await page.goto(`${origin}/audit-log/proofs`);
  await page.getByRole('button', { name: 'New proof' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create proof' }).click();
  const link = page.getByRole('link', { name: 'Download ZIP' });
  await link.waitFor();
  await picture('proofs', true);
  const download = page.waitForEvent('download');
  await link.click();
  const file = await download;
  const zip = join(dataDir, file.suggestedFilename());
  await file.saveAs(zip);
  await page.goto(`${origin}/proof/check`);
  await page.getByLabel('Proof', { exact: true }).setInputFiles(zip);
  await page.getByText('The proof holds.').waitFor();
  await picture('proof-check', true);
  await takeReportPictures(browser, fileURLToPath(IMAGES));
} finally {
  await browser.close();
  await stopServiceProcess(service);
  await rm(dataDir, { recursive: true });
}
