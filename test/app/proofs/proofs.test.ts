import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { proving } from '../../../procedures/proof/job.ts';
import { startJob } from '../../../server/jobs/runner.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { expectGoodViews } from '../../support/app/accessibility.ts';
import {
  applicationOrigin,
  applicationStorage,
  describeInBrowser,
  expectConsole,
  openAs,
  openAsMember,
  openWindow,
} from '../../support/app/application.ts';
import { inOneMinute } from '../../support/app/one-minute.ts';
import { addFile, textFile } from '../../support/app/evidence.ts';
import { database, sql } from '../../support/database/database.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember, services } from '../../support/tenants/member.ts';

const PATH = '/audit-log/proofs';

/** Makes queued proofs until the end of the test. */
function startMaking(): void {
  const storage = applicationStorage();
  onTestFinished(
    startJob(proving, { database, log: createLog('silent'), services: { storage, signing: services.signing } }),
  );
}

describeInBrowser('proofs', () => {
  test('are made in the background, and deleted after a confirmation', async () => {
    const { company, ann, page } = await openAsMember('/audit-log', { name: 'Ann Lee', role: 'auditor' });
    const task = await company.newTask();
    const admin = await createMember(company, { name: 'Bob' });
    await addFile(admin, `task/${task.uniqueId}`, textFile('review.txt'));
    await page.getByRole('link', { name: 'Proofs' }).click();
    await page.getByText('A proof shows an auditor').waitFor();
    expect(await page.getByRole('button', { name: 'New proof' }).count()).toBe(1);
    await page.getByRole('button', { name: 'New proof' }).click();
    const dialog = page.getByRole('dialog', { name: 'New proof' });
    await dialog.getByLabel('As of').fill('2100-01-01');
    await dialog.getByRole('button', { name: 'Create proof' }).click();
    await dialog.getByText('Choose today or an earlier day.').waitFor();
    await dialog.getByLabel('As of').fill('');
    await dialog.getByRole('button', { name: 'Create proof' }).click();
    await page.getByText('Waiting for its turn').waitFor();
    const [created] = (await ann.caller.proof.list()).items;
    expect(created).toMatchObject({ from: null, frameworks: null, evidence: true, createdBy: { name: 'Ann Lee' } });
    startMaking();
    await page.getByRole('link', { name: 'Download ZIP' }).waitFor();
    await expectGoodViews(page);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: /^Download the proof as of/ }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^Acme, proof of 20\d\d-\d\d-\d\d\.zip$/);
    const check = await openWindow('/proof/check');
    await check.getByLabel('Proof', { exact: true }).setInputFiles(await file.path());
    await check.getByText('The proof is valid.').waitFor();
    await check.getByText(`Acme (company ${company.id})`).waitFor();
    await page.getByRole('button', { name: 'Delete proof' }).click();
    await page.getByRole('dialog').getByText('cannot be restored').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete proof' }).click();
    await page.getByText('A proof shows an auditor').waitFor();
    expect((await ann.caller.proof.list()).items).toEqual([]);
  });

  test('are canceled while they wait, and say why they failed', async () => {
    const { ann, page } = await openAsMember(PATH);
    const failed = await ann.caller.proof.create({});
    await sql(
      `update proof set state = 'failed', ended_at = now(), reason = 'The store of files did not respond.' where unique_id = $1`,
      failed.uniqueId,
    );
    const { uniqueId } = await ann.caller.proof.create({ evidence: false });
    await sql(
      `update proof set state = 'running', started_at = now() - interval '30 seconds', progress = 25 where unique_id = $1`,
      uniqueId,
    );
    await page.goto(`${applicationOrigin()}${PATH}?proof=${failed.uniqueId}`);
    await page.getByRole('alert').getByText('The store of files did not respond.').waitFor();
    await page.getByRole('button', { name: /^The beginning to/, expanded: false }).click();
    await page.getByText(/^25 %, about (?:9\d seconds|2 minutes) left$/).waitFor();
    await page.getByRole('cell', { name: 'Running, 25 %', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel proof' }).click();
    // A slow response: meanwhile the page must not read the progress of the proof that is gone.
    await page.route(/proof\.delete/, async (route) => {
      const response = await route.fetch();
      await wait(2500);
      await route.fulfill({ response });
    });
    const responded = page.waitForResponse(/proof\.delete/);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel proof' }).click();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    // A request whose handler ends with the test would be sent again.
    await responded;
    expect((await ann.caller.proof.list()).items.map((proof) => proof.uniqueId)).not.toContain(uniqueId);
  });

  test('are called by their time in the audit log, whose links lead to the row of the proof and to the page of the key', async () => {
    const { company, ann, page } = await openAsMember('/account');
    const { uniqueId } = await ann.caller.proof.create({ evidence: false });
    // Enough others that the row is below the window.
    for (let index = 0; index < 24; index += 1) {
      const other = await ann.caller.proof.create({});
      await sql(
        `update proof set state = 'failed', ended_at = now(), reason = 'Failed' where unique_id = $1`,
        other.uniqueId,
      );
    }
    const { uniqueId: key } = await ann.caller.management.apiKey.create({ name: 'Ticket sync' });
    await inOneMinute(company);
    await page.goto(`${applicationOrigin()}/audit-log`);
    const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
    await rows.filter({ hasText: /Ann created 25 proofs: proof of \w+ \d+, 20\d\d, \d+:\d\d [AP]M/ }).waitFor();
    await page.getByRole('link', { name: 'Ticket sync' }).click();
    await page.waitForURL(`**/api-keys?key=${key}`);
    await page.getByRole('heading', { name: 'Ticket sync' }).waitFor();
    await page.goto(`${applicationOrigin()}/audit-log?resourceId=${uniqueId}`);
    await page.getByRole('button', { name: /^Remove filter Resource: proof of/ }).waitFor();
    await page
      .getByRole('link', { name: /^proof of/ })
      .first()
      .click();
    await page.waitForURL(`**${PATH}?proof=${uniqueId}`);
    const shown = page.getByRole('button', { name: /^The beginning to/, expanded: true });
    const isInView = async () => {
      const { y = -1, height = 0 } = (await shown.boundingBox()) ?? {};
      return y >= 0 && y + height <= (page.viewportSize()?.height ?? 0);
    };
    await expect.poll(isInView).toBe(true);
    // The page stays where it is when another row is unfolded.
    await page
      .getByRole('button', { name: /^The beginning to/, expanded: false })
      .last()
      .click();
    await page.getByRole('alert').getByText('Failed').waitFor();
    expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(0);
  });

  test('are not offered to editors and to auditors of some frameworks', async () => {
    const company = await createCompany();
    const members = [
      await createMember(company, { role: 'editor' }),
      await createMember(company, { role: 'auditor', frameworks: [company.framework] }),
    ];
    for (const member of members) {
      const page = await openAs(member, '/audit-log');
      expectConsole(/403/);
      await page.getByRole('table', { name: 'Audit log' }).getByRole('button').first().waitFor();
      expect(await page.getByRole('link', { name: 'Proofs' }).count()).toBe(0);
      await page.goto(applicationOrigin() + PATH);
      await page.getByRole('alert').getByText('Ask an admin of your company for permission.').waitFor();
      expect(await page.getByRole('button', { name: 'New proof' }).count()).toBe(0);
    }
  });
});
