import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { proving } from '../../procedures/proof/job.ts';
import { startJob } from '../../server/jobs/runner.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { applicationStorage, describeInBrowser, openAs } from '../support/app/application.ts';
import { evidenceOf } from '../support/app/evidence.ts';
import { database } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';

const TASKS = 14;
const SAMPLE = 10;
/** Tasks of the sample about which the auditor asks a question. */
const ASKED = 2;
/** Clicks beside those that accept evidence. */
const MAX_CLICKS = 28;

/** A company with two frameworks, the first of which has closed tasks, each with evidence. */
async function createAudit() {
  const company = await createCompany();
  const ann = await createMember(company, { name: 'Ann' });
  const cleo = await createMember(company, { name: 'Cleo', role: 'auditor' });
  const other = await ann.caller.management.framework.create({ name: 'SOC 2' });
  for (let index = 0; index < TASKS; index++) {
    const { uniqueId: taskUniqueId } = await company.newTask({ title: `Task ${index}` });
    await ann.caller.evidence.link({ taskUniqueId, url: 'https://wiki.example.com/a', name: 'Report' });
    await ann.caller.task.update({ taskUniqueId, status: 'done' });
  }
  await ann.caller.task.create({ framework: other.id, title: 'Of another framework' });
  return { ann, cleo };
}

describeInBrowser('the sitting of an auditor', () => {
  test('takes few clicks: a sample of closed tasks, each accepted or questioned, and a proof', async () => {
    const { ann, cleo } = await createAudit();
    const page: Page = await openAs(cleo, '/');
    let clicks = 0;
    const click = async (target: Locator) => {
      await target.click();
      clicks += 1;
    };
    const button = (name: string, exact = true) => page.getByRole('button', { name, exact });
    await click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks', exact: true }));
    await click(page.getByRole('combobox', { name: 'Framework' }));
    await click(page.getByRole('option', { name: 'ISO 27001' }));
    await click(button('Filters'));
    // The tasks of a test cannot be older than the test.
    await click(button('Closed: This quarter'));
    await page.getByText(`${TASKS} tasks`, { exact: true }).waitFor();
    await click(button('Sample'));
    await click(button('Show sample'));
    await page.getByText(`${SAMPLE} of ${TASKS} tasks`, { exact: true }).waitFor();
    await click(page.getByRole('table', { name: 'Tasks' }).getByRole('link').first());
    let accepted = 0;
    for (let index = 1; index <= SAMPLE; index++) {
      await page.getByText(`${index} of ${SAMPLE}`, { exact: true }).waitFor();
      if (index <= ASKED) {
        await click(page.getByRole('textbox', { name: 'Comment' }));
        await page.getByRole('group', { name: 'Formatting' }).last().waitFor();
        await page.keyboard.type('Who approved this?');
        await click(button('Ask a question'));
        await page.getByText('Open question', { exact: true }).waitFor();
      } else {
        await button('Accept Report').click();
        accepted += 1;
        await evidenceOf(page).getByText('Accepted', { exact: true }).waitFor();
      }
      if (index < SAMPLE) await click(button('Next'));
    }
    await click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' }));
    await click(page.getByRole('link', { name: 'Proofs' }));
    await click(button('New proof'));
    await click(button('Create proof'));
    const storage = applicationStorage();
    onTestFinished(
      startJob(proving, { database, log: createLog('silent'), services: { storage, signing: services.signing } }),
    );
    const download = page.waitForEvent('download');
    await click(page.getByRole('link', { name: 'Download ZIP' }));
    await download;
    expect((await ann.caller.evidence.listAll({ check: 'accepted' })).items).toHaveLength(accepted);
    expect((await ann.caller.comment.listAll({ kind: 'question', resolved: false })).items).toHaveLength(ASKED);
    expect({ accepted, clicks }).toEqual({
      accepted: SAMPLE - ASKED,
      clicks: expect.toSatisfy((count) => count <= MAX_CLICKS),
    });
  });
});
