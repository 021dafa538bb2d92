import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { createFileCompany, idOf, startEvidenceServer } from '../support/storage/evidence-server.ts';
import { addEvidence } from '../support/tenants/evidence.ts';

const { stop, ask, upload, expectNothing } = await startEvidenceServer(await temporaryFolder(), 100_000);
afterAll(stop);
const acme = await createFileCompany();
const contentOf = (created: { body: unknown }, headers = {}) =>
  ask(acme.key, 'GET', `/external/evidence/${idOf(created)}/content`, undefined, headers);

describe('a name', () => {
  test.for([
    'a/b',
    '../x',
    'a\\b',
    'a\u0000b',
    'a\nb',
    '\u001b[2J',
    'a\u007f',
    'a\u0085b',
    '.',
    '..',
    ' ',
    'a'.repeat(256),
    '😀'.repeat(128),
    '😀'.repeat(255),
  ])('%j is 400, in an upload and in a change', async (name) => {
    const empty = await createFileCompany();
    expect(await upload(empty, 'x', { name })).toMatchObject({ status: 400, text: expect.stringContaining('name') });
    await expectNothing(empty);
    const id = await addEvidence(acme, { taskUniqueId: acme.taskId });
    expect(await ask(acme.key, 'PATCH', `/external/evidence/${id}/edit`, { name })).toMatchObject({ status: 400 });
  });

  test.for([
    ['invoice\u202egpj.exe', 'invoice_gpj.exe'],
    ['😀'.repeat(127), '😀'.repeat(127)],
    ['a".html; filename=b', 'a".html; filename=b'],
    ['...', '...'],
  ] as const)('%j is kept as it is, and its download is an attachment', async ([name, saved]) => {
    const created = await upload(acme, 'x', { name });
    expect(created).toMatchObject({ status: 201, body: { name } });
    const { headers } = await contentOf(created);
    const disposition = String(headers['content-disposition']);
    expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]*"(?:; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?$/);
    const encoded = /filename\*=UTF-8''(.*)$/.exec(disposition)?.[1];
    const quoted = /filename="((?:[^"\\]|\\.)*)"/.exec(disposition)?.[1] ?? '';
    expect(encoded === undefined ? quoted.replaceAll(/\\(.)/g, '$1') : decodeURIComponent(encoded)).toBe(saved);
  });
});

test.for([
  ['text/html', '<script>alert(document.domain)</script>'],
  ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ['application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
] as const)('%s is stored as sent, and no browser runs it', async ([type, content]) => {
  const created = await upload(acme, content, { 'Content-Type': type });
  expect(created).toMatchObject({ status: 201, body: { mediaType: type } });
  const response = await contentOf(created);
  expect(response).toMatchObject({ status: 200, text: content });
  expect(response.headers).toMatchObject({
    'content-type': type,
    'content-disposition': expect.stringMatching(/^attachment; /),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
});

test('a hundred ranges are the whole file', async () => {
  const created = await upload(acme, '0123456789');
  const Range = `bytes=${Array.from({ length: 100 }, (_, index) => `${index % 10}-${index % 10}`).join(',')}`;
  expect(await contentOf(created, { Range })).toMatchObject({ status: 200, text: '0123456789' });
});

test('a link has no content: 404', async () => {
  const uniqueId = await addEvidence(acme, { taskUniqueId: acme.taskId });
  expect(await contentOf({ body: { uniqueId } })).toMatchObject({ status: 404 });
});
