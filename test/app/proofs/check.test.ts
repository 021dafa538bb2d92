import { createPublicKey } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectGoodViews } from '../../support/app/accessibility.ts';
import { describeInBrowser, openWindow } from '../../support/app/application.ts';
import { alterations, archiveAlterations } from '../../support/proof/alterations.ts';
import { attackerKey } from '../../support/proof/alter.ts';
import { sampleKey, sampleProof } from '../../support/proof/sample.ts';

const PATH = '/proof/check';
const KEYS = '/.well-known/signing-keys.json';
const UNKNOWN = 'Signed by a key that this installation does not know';

/** Opens the page in an installation that has the key of the samples, and returns the paths of all requests that come. */
async function openCheck(keys = [createPublicKey(sampleKey).export({ format: 'jwk' })]) {
  const page = await openWindow('/sign-in');
  const body = JSON.stringify({ keys: keys.map((key, index) => ({ ...key, kid: `key-${index}` })) });
  await page.route(`**${KEYS}`, (route) => route.fulfill({ body, contentType: 'application/json' }));
  await page.goto(new URL(PATH, page.url()).href);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
  return { page, requests };
}

const asFile = (name: string, buffer: Buffer | string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(buffer),
});

async function check(page: Page, zip: Buffer, checkpoint?: string): Promise<string> {
  const field = page.getByLabel('Checkpoint');
  if (checkpoint !== undefined) await field.setInputFiles(asFile('head.json', checkpoint));
  else if ((await field.inputValue()) !== '') await field.setInputFiles([]);
  await page.getByLabel('Proof', { exact: true }).setInputFiles(asFile('proof.zip', zip));
  const outcome = page.getByRole('alert').or(page.getByText('The proof is valid.')).first();
  await outcome.waitFor();
  return outcome.innerText();
}

const oneOfEachPlace = [...Map.groupBy(alterations, ({ expects }) => expects.source.split(':', 1)[0]).values()].flatMap(
  ([first]) => first ?? [],
);
/**
 * One alteration for each place that a message can name, and all of the archive, which the browser inflates in its own way.
 * `test/proof/verify.test.ts` tries every alteration with the module that the page runs.
 */
const ALTERED = [...new Set([...oneOfEachPlace, ...archiveAlterations])];

/** Each has a page and a limit of time of its own: a check takes seconds where several programs share a core. */
const GROUP_SIZE = 12;
const PARTS = Math.ceil(ALTERED.length / GROUP_SIZE);
const GROUPS = Array.from({ length: PARTS }, (_, index) => ({
  part: index + 1,
  parts: PARTS,
  group: ALTERED.slice(index * GROUP_SIZE, (index + 1) * GROUP_SIZE),
}));

describeInBrowser('the check of a proof', () => {
  test('says what holds, on the machine of the person: the only request reads public keys', async () => {
    const { page, requests } = await openCheck();
    await page.getByLabel('Proof', { exact: true }).waitFor();
    expect(await check(page, await sampleProof())).toBe('The proof is valid.');
    await page.getByText('This installation signed it.').waitFor();
    await page.getByText('Acme (company 7)').waitFor();
    const rows = await page.getByRole('table', { name: 'Registers' }).getByRole('row').allInnerTexts();
    expect(rows.slice(1).map((row) => row.split(/\s+/))).toEqual([
      ['Tasks', '4'],
      ['Vendors', '3'],
      ['Requirements', '3'],
      ['Comments', '2'],
      ['Evidence', '3'],
      ['Frameworks', '2'],
      ['Departments', '1'],
      ['Gaps', '1'],
      ['API', 'keys', '1'],
      ['Members', '2'],
      ['Events', '41'],
    ]);
    await page.getByText('1 file (4 bytes) of evidence').waitFor();
    const sent = requests.filter((request) => !request.startsWith('GET /assets/'));
    expect(sent.filter((request) => request !== `GET ${KEYS}`)).toEqual([]);
    await expectGoodViews(page);
  });

  test('warns of a key that the installation does not know', async () => {
    const { page: withoutKey } = await openCheck([]);
    expect(await check(withoutKey, await sampleProof())).toContain('The signer is unknown');
    const { page } = await openCheck([createPublicKey(attackerKey).export({ format: 'jwk' })]);
    const limited = await sampleProof({ from: 10, evidence: false, frameworks: [1] });
    expect(await check(page, limited)).toContain(UNKNOWN);
    await page.getByText('Only ISO 27001.').waitFor();
    await page.getByText('The proof is valid.').waitFor();
    await page.getByText('The registers were not rebuilt').waitFor();
    await expectAccessible(page);
  });

  test.for(GROUPS)('names the first thing that is wrong in altered proofs ($part of $parts)', async ({ group }) => {
    const { page } = await openCheck();
    const zip = await sampleProof();
    const wrong: unknown[] = [];
    for (const alteration of group) {
      const { zip: altered, keys, checkpoint } = await alteration.alter(zip);
      const text = await check(page, altered, checkpoint);
      const [title, fault = ''] = text.split(/\n+/);
      const line = fault.replace(/^Checkpoint: /, '--checkpoint: ');
      // The page has the keys of the installation, and shows an unknown one beside what holds.
      const isFound =
        keys === undefined ? title === 'This proof is not valid' && alteration.expects.test(line) : title === UNKNOWN;
      if (!isFound) wrong.push({ name: alteration.name, text });
    }
    expect(wrong).toEqual([]);
    await expectGoodViews(page);
  });

  test('is tried with at least 40 altered proofs', () => {
    expect(GROUPS.flatMap(({ group }) => group)).toEqual(ALTERED);
    expect(ALTERED.length).toBeGreaterThanOrEqual(40);
  });
});
