import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { DemoOutput } from '../../procedures/demo/router.ts';

/** Takes pictures of pages of the application, as its admin sees them, in light and dark. */
export async function takePagePictures(page: Page, { appUrl, members }: DemoOutput, images: string): Promise<void> {
  const picture = async (name: string) => {
    await page.waitForLoadState('networkidle');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
      await page.screenshot({ path: join(images, `${name}-${colorScheme}.png`) });
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
  await page.goto(`${appUrl}/vendors?q=Nimbus`);
  await page.getByRole('link', { name: 'Nimbus Harbor' }).click();
  await page.getByRole('heading', { name: 'Nimbus Harbor' }).waitFor();
  await picture('vendor');
}
