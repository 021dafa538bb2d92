import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { DemoOutput } from '../../procedures/demo/router.ts';

/** Of 100. Text stays sharp, in half of the bytes of a PNG. */
const QUALITY = 90;
/** The window. Chromium does not multiply it by the scale of the device. */
const CLIP = { x: 0, y: 0, width: 1280, height: 720, scale: 1.5 };

/** A task with evidence and comments. */
const TASK = 'Publish the rules for using company devices';

/** Takes pictures of pages of the application, as its admin sees them, in light and dark. */
export async function takePagePictures(page: Page, { appUrl, members }: DemoOutput, images: string): Promise<void> {
  const chromium = await page.context().newCDPSession(page);
  const picture = async (name: string) => {
    await page.waitForLoadState('networkidle');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
      await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
      // Playwright writes no WebP.
      const { data } = await chromium.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY, clip: CLIP });
      await writeFile(join(images, `${name}-${colorScheme}.webp`), data, 'base64');
    }
  };
  const [admin] = members;
  await page.goto(appUrl);
  await page.getByLabel('Email').fill(admin?.email ?? '');
  await page.getByLabel('Password').fill(admin?.password ?? '');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('img', { name: /^Tasks from/ }).waitFor();
  await picture('overview');
  await page.goto(`${appUrl}/tasks?status=todo,in_progress,in_review&sort=dueDate`);
  await page.getByRole('link', { name: 'Review the measures of processors' }).waitFor();
  await picture('tasks');
  await page.goto(`${appUrl}/tasks?status=in_review`);
  await page.getByRole('link', { name: TASK }).click();
  await page.getByRole('heading', { level: 1, name: TASK }).waitFor();
  await picture('task');
  await page.goto(`${appUrl}/vendors?q=Nimbus`);
  await page.getByRole('link', { name: 'Nimbus Harbor' }).click();
  await page.getByRole('heading', { name: 'Nimbus Harbor' }).waitFor();
  await picture('vendor');
}
