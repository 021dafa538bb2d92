import { expect, test } from 'vitest';
import { describeInBrowser, expectConsole, keepScreenshot, openAs } from '../../support/app/application.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember } from '../../support/tenants/member.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP8z4APMOGVHbHSAEEsAROxCnMTAAAAAElFTkSuQmCC',
  'base64',
);
describeInBrowser('try', () => {
  test('one', async () => {
    const company = await createCompany();
    const ann = await createMember(company);
    const { uniqueId: taskUniqueId } = await ann.caller.task.create({
      framework: company.framework,
      title: 'Review access rights',
    });
    await ann.caller.evidence.link({
      taskUniqueId,
      url: 'https://wiki.example.com/access',
      name: 'Access policy',
      validUntil: new Date(Date.now() + 5 * 86400000).toISOString().slice(0, 10),
      note: 'Signed by the head of IT',
    });
    const page = await openAs(ann, `/tasks/${taskUniqueId}`);
    page.on('response', async (r) => {
      if (r.url().includes('evidence/new'))
        console.log(r.status(), r.headers()['x-error-code'], await r.text().catch(() => ''));
    });
    await page.getByRole('button', { name: 'Attach file' }).waitFor();
    const shot = await page.evaluate(() => {
      const c = document.createElement('canvas');
      c.width = 1600;
      c.height = 1000;
      const x = c.getContext('2d')!;
      x.fillStyle = '#48a';
      x.fillRect(0, 0, 1600, 1000);
      x.fillStyle = '#fff';
      x.font = '80px sans-serif';
      x.fillText('Access review', 100, 500);
      return c.toDataURL('image/png').split(',')[1];
    });
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'Access review Q2.png', mimeType: 'image/png', buffer: Buffer.from(shot!, 'base64') }]);
    await page.getByRole('dialog').getByRole('button', { name: 'Attach' }).waitFor();
    await keepScreenshot(page, 'ev-dialog');
    await page.getByRole('dialog').getByRole('button', { name: 'Attach' }).click();
    await page
      .getByRole('button', { name: 'Access review Q2.png', exact: true })
      .waitFor({ timeout: 15000 })
      .catch(() => {});
    await keepScreenshot(page, 'ev-1');
    await page.getByRole('button', { name: 'Access review Q2.png', exact: true }).click({ timeout: 5000 });
    await page.locator('iframe').waitFor();
    await page.waitForTimeout(500);
    await keepScreenshot(page, 'ev-2');
    console.log(JSON.stringify(await ann.caller.evidence.list({ taskUniqueId })));
    expect(1).toBe(1);
  });
});
