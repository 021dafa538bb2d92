import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../../support/app/accessibility.ts';
import { MAX_FILE_BYTES, describeInBrowser, expectConsole, openAs } from '../../support/app/application.ts';
import {
  chooseFiles,
  confirmAttach,
  createTask,
  evidenceOf,
  nameButton,
  textFile,
} from '../../support/app/evidence.ts';

const UPLOAD = '**/evidence/new*';

const failureOf = (page: Page) => evidenceOf(page).getByRole('alert').filter({ hasText: 'Not attached.' });

/** Limits how fast the page sends. */
async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  });
}

describeInBrowser('the upload of a file', () => {
  test('shows progress and speed, continues on other pages, and can be cancelled', async () => {
    const { ann, path, stored } = await createTask();
    const page = await openAs(ann, path, { isAlone: true });
    await chooseFiles(page, [textFile('large.txt', 'a'.repeat(3_000_000))]);
    await slowDown(page, 100_000);
    await confirmAttach(page);
    const uploads = page.getByRole('list', { name: 'Uploads' });
    await uploads.getByText(/ of 3 MB, .* per second, about .* left/).waitFor();
    await uploads.getByRole('progressbar', { name: 'Progress of large.txt' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Vendors' }).click();
    await page.getByRole('heading', { level: 1, name: 'Vendors' }).waitFor();
    await page.goBack();
    await uploads.getByText(/ of 3 MB/).waitFor();
    await uploads.getByRole('button', { name: 'Cancel large.txt' }).click();
    await uploads.waitFor({ state: 'detached' });
    expect(await stored()).toEqual([]);
  });

  test('can be tried again after a failure without choosing the file anew', async () => {
    const { ann, path, stored } = await createTask();
    const page = await openAs(ann, path);
    expectConsole(/ERR_FAILED/);
    await chooseFiles(page, [textFile('one.txt'), textFile('two.txt')]);
    await page.route(UPLOAD, (route) => route.abort(), { times: 2 });
    await confirmAttach(page);
    await expect.poll(() => failureOf(page).count()).toBe(2);
    await failureOf(page).first().getByText('The server cannot be reached.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove two.txt' }).click();
    await page.getByRole('button', { name: 'Try again to attach one.txt' }).click();
    await nameButton(page, 'one.txt').waitFor();
    await expect.poll(() => failureOf(page).count()).toBe(0);
    expect(await stored()).toMatchObject([{ name: 'one.txt' }]);
  });

  test('attaches a file once if only the response of the first attempt was lost', async () => {
    const { ann, path, stored } = await createTask();
    const page = await openAs(ann, path);
    expectConsole(/ERR_FAILED/);
    await chooseFiles(page, [textFile('one.txt')]);
    await page.route(
      UPLOAD,
      async (route) => {
        await route.fetch({ postData: 'one.txt' });
        await route.abort();
      },
      { times: 1 },
    );
    await confirmAttach(page);
    await failureOf(page).waitFor();
    expect(await stored()).toHaveLength(1);
    await page.getByRole('button', { name: 'Try again to attach one.txt' }).click();
    await failureOf(page).waitFor({ state: 'detached' });
    await nameButton(page, 'one.txt').waitFor();
    expect(await stored()).toHaveLength(1);
  });

  test('says why the server takes no file', async () => {
    const { ann, path, stored } = await createTask();
    const page = await openAs(ann, path);
    expectConsole(/413|ERR_/);
    await chooseFiles(page, [textFile('huge.txt', 'a'.repeat(MAX_FILE_BYTES + 1))]);
    await confirmAttach(page);
    await failureOf(page).waitFor();
    expect(await failureOf(page).innerText()).toContain('4194304 bytes');
    expect(await stored()).toEqual([]);
  });
});
