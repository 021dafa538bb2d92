import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, openAs } from '../../support/app/application.ts';
import {
  PNG,
  chooseFiles,
  confirmAttach,
  createTask,
  day,
  evidenceOf,
  nameButton,
  textFile,
  transfer,
} from '../../support/app/evidence.ts';

describeInBrowser('the evidence of a task', () => {
  test('takes a file with the date that it speaks for, which comes before the time of its receipt', async () => {
    const { ann, path, stored } = await createTask();
    const page = await openAs(ann, path);
    await chooseFiles(page, [textFile('Access review Q2.txt')]);
    const dialog = page.getByRole('dialog', { name: 'Attach a file' });
    expect(await dialog.getByLabel('Date').inputValue()).toBe(day());
    await dialog.getByLabel('Date').fill('2026-06-30');
    await dialog.getByLabel('Valid until').fill('2026-06-29');
    await confirmAttach(page);
    await dialog.getByText('Enter a day that is not before the date.').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Valid until').fill('2026-12-31');
    await dialog.getByLabel('Note').fill('Signed by the head of IT');
    await confirmAttach(page);
    await nameButton(page, 'Access review Q2.txt').waitFor();
    expect(await stored()).toMatchObject([
      {
        kind: 'file',
        name: 'Access review Q2.txt',
        mediaType: 'text/plain',
        size: 20,
        date: '2026-06-30',
        validUntil: '2026-12-31',
        note: 'Signed by the head of IT',
      },
    ]);
    const text = await evidenceOf(page).getByRole('listitem').innerText();
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(
      /For Jun 30, 2026 Valid until Dec 31, 2026 Text, 20 bytes Added .* by Ann Lee Signed by/,
    );
    await page.getByText('attached “\u2068Access review Q2.txt\u2069”').waitFor();
    await expectGoodViews(page);
  });

  test('takes several files at once, by the button and by drop', async () => {
    const { ann, path, stored } = await createTask();
    const page = await openAs(ann, path);
    await chooseFiles(
      page,
      ['one.txt', 'two.txt', 'three.txt'].map((name) => textFile(name)),
    );
    await page.getByRole('dialog', { name: 'Attach 3 files' }).getByText('three.txt').waitFor();
    await page.getByRole('dialog').getByLabel('Date').fill('2026-06-30');
    await confirmAttach(page);
    await expect.poll(async () => (await stored()).length).toBe(3);
    const files = [textFile('four.txt'), textFile('five.txt')];
    await transfer(page, 'drag', 'h1', { files });
    await page.getByText('Drop to attach').waitFor();
    await transfer(page, 'drop', 'h1', { files });
    await confirmAttach(page);
    await nameButton(page, 'five.txt').waitFor();
    await nameButton(page, 'four.txt').waitFor();
    expect(await page.getByText('Drop to attach').count()).toBe(0);
    expect((await stored()).map(({ name }) => name).toSorted()).toEqual([
      'five.txt',
      'four.txt',
      'one.txt',
      'three.txt',
      'two.txt',
    ]);
  });

  test('takes a pasted screenshot under the time, and leaves text to the field into which it is pasted', async () => {
    const { ann, path, stored } = await createTask();
    const page = await openAs(ann, path);
    await page.getByRole('button', { name: 'Attach file' }).waitFor();
    const files = [{ name: 'image.png', mimeType: 'image/png', buffer: PNG }];
    await transfer(page, 'paste', 'textarea[name=title]', { files, texts: { 'text/plain': 'A cell of a table' } });
    await transfer(page, 'paste', 'body', { files });
    const dialog = page.getByRole('dialog', { name: 'Attach a file' });
    expect(await dialog.getByLabel('Name').inputValue()).toMatch(/^Screenshot \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/);
    await confirmAttach(page);
    await evidenceOf(page)
      .getByRole('button', { name: /^Screenshot/ })
      .waitFor();
    expect(await stored()).toMatchObject([{ mediaType: 'image/png', size: PNG.length }]);
  });

  test('takes a link, also a pasted one, and opens it in a new tab', async () => {
    const { ann, path, stored } = await createTask();
    const page = await openAs(ann, path);
    await page.getByRole('button', { name: 'Add link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a link' });
    await dialog.getByLabel('URL').fill('https://wiki.example.com/access');
    await dialog.getByLabel('Name').fill('Access policy');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const link = page.getByRole('link', { name: 'Open Access policy in a new tab' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('https://wiki.example.com/access');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await dialog.waitFor({ state: 'detached' });
    await transfer(page, 'paste', 'body', { texts: { 'text/plain': 'https://wiki.example.com/backup' } });
    expect(await dialog.getByLabel('URL').inputValue()).toBe('https://wiki.example.com/backup');
    await dialog.getByLabel('Name').fill('Backup policy');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Open Backup policy in a new tab' }).waitFor();
    expect(await stored()).toMatchObject([
      { kind: 'link', name: 'Access policy', date: day() },
      { name: 'Backup policy' },
    ]);
  });

  test('shows a name with letters from right to left apart from the text beside it', async () => {
    const { ann, taskUniqueId, path } = await createTask();
    const name = 'invoice\u202Egpj.exe';
    await ann.caller.evidence.link({ taskUniqueId, url: 'https://wiki.example.com/', name });
    const page = await openAs(ann, path);
    const isolated = evidenceOf(page).locator('bdi');
    await isolated.waitFor();
    expect(await isolated.innerText()).toBe(name);
  });

  test('says that a file without bytes cannot be attached', async () => {
    const { ann, path, stored } = await createTask();
    const page = await openAs(ann, path);
    await chooseFiles(page, [textFile('empty.txt', '')]);
    await confirmAttach(page);
    await page.getByRole('dialog').getByRole('alert').getByText('“empty.txt” is empty.').waitFor();
    expect(await stored()).toEqual([]);
  });
});
