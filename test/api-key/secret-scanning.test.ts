import { createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RAW_KEY_PATTERN, generateRawKey } from '../../entities/api-key/raw-key.ts';
import { createApp } from '../../server/app.ts';
import { HttpServer } from '../../server/http/server.ts';
import { REPORTS_PATH } from '../../server/secret-scanning/route.ts';
import { OPERATOR_TOKEN, createCompany, operator } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database, sql } from '../support/database/database.ts';
import {
  leakFinding,
  fixture,
  keyIdentifier,
  startCountingServer,
  signatureHeaders,
} from '../support/servers/secret-scanner.ts';
import { http } from '../support/http/server.ts';

// From GitHub's documentation of the partner programme: a report signed with a test key of theirs.
const GITHUB_EXAMPLE = {
  identifier: 'f9525bf080f75b3506ca1ead061add62b8633a346606dc5fe544e29231c6ee0d',
  key: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsz9ugWDj5jK5ELBK42ynytbo38gP
HzZFI03Exwz8Lh/tCfL3YxwMdLjB+bMznsanlhK0RwcGP3IDb34kQDIo3Q==
-----END PUBLIC KEY-----
`,
  signature: 'MEUCIFLZzeK++IhS+y276SRk2Pe5LfDrfvTXu6iwKKcFGCrvAiEAhHN2kDOhy2I6eGkOFmxNkOJ+L2y8oQ9A2T9GGJo6WJY=',
  body: '[{"token":"some_token","type":"some_type","url":"some_url","source":"some_source"}]',
};

let keyServer: Awaited<ReturnType<typeof startCountingServer>>;
let server: HttpServer;
let url: string;
let logOutput = '';

/** The service with the receiver on, its log kept as it is: without the redaction that the real one has. */
async function startReceiver(keysUrl: string) {
  const log = pino({ level: 'trace' }, { write: (line: string) => void (logOutput += line) });
  const receiver = new HttpServer(
    createApp(database, OPERATOR_TOKEN, log, { secretScanningKeysUrl: keysUrl }).callback(),
  );
  return { receiver, address: await receiver.listen({ host: '127.0.0.1', port: 0 }) };
}

beforeAll(async () => {
  const both = JSON.parse(fixture.publicKeysJson) as { public_keys: object[] };
  both.public_keys.push({ key_identifier: GITHUB_EXAMPLE.identifier, key: GITHUB_EXAMPLE.key, is_current: false });
  keyServer = await startCountingServer((_, response) => response.end(JSON.stringify(both)));
  ({ receiver: server, address: url } = await startReceiver(keyServer.url));
});
afterAll(async () => {
  keyServer.close();
  await server.stop();
});

async function sendReport(
  body: string | Buffer,
  headers: Record<string, string> = signatureHeaders(body),
  baseUrl = url,
) {
  const response = await fetch(`${baseUrl}${REPORTS_PATH}`, { method: 'POST', headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as unknown };
}
const reportFindings = (...findings: unknown[]) => sendReport(JSON.stringify(findings));

const isKeyEnabled = async (acme: TestCompany) =>
  (await acme.manage.apiKey.get({ uniqueId: acme.apiKey.uniqueId })).enabled;

describe('a signed report', () => {
  test('disables the key: the next request with it is refused', async () => {
    const acme = await createCompany();
    const get = () => fetch(`${url}/external/smart-inventory/vendor/list`, { headers: { 'X-API-Key': acme.key } });
    expect((await get()).status).toBe(200);
    const answer = await reportFindings(leakFinding(acme.key));
    expect(answer).toMatchObject({ status: 200, body: [{ token_type: 'compliance_api_key', label: 'true_positive' }] });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const refused = await get();
    expect({ status: refused.status, code: refused.headers.get('x-error-code') }).toEqual({
      status: 401,
      code: 'key_disabled',
    });
    const [, event] = await acme.events(acme.apiKey.uniqueId);
    expect(event?.request_id).toBe(answer.headers.get('x-request-id'));
  });

  test('only says so of the key of a company that wants no more', async () => {
    const acme = await createCompany();
    await operator.company.update({ id: acme.id, leakedKeys: 'report' });
    expect(await reportFindings(leakFinding(acme.key))).toMatchObject({ body: [{ label: 'true_positive' }] });
    expect(await isKeyEnabled(acme)).toBe(true);
  });

  test('is the same again: the same answer, and nothing more', async () => {
    const acme = await createCompany();
    const body = JSON.stringify([leakFinding(acme.key), leakFinding(generateRawKey()), null]);
    const headers = signatureHeaders(body);
    const first = await sendReport(body, headers);
    const events = await acme.events();
    const again = await Promise.all(Array.from({ length: 5 }, () => sendReport(body, headers)));
    for (const answer of again) expect(answer.body).toEqual(first.body);
    expect(await acme.events()).toEqual(events);
  });

  test('made once by another program is understood, and so is the one of GitHub’s documentation', async () => {
    const key = createPublicKey(fixture.privateKey);
    expect(verify('sha256', fixture.body, key, Buffer.from(fixture.signature, 'base64'))).toBe(true);
    const headers = { 'Content-Type': 'application/json', 'GITHUB-PUBLIC-KEY-IDENTIFIER': keyIdentifier };
    const ours = await sendReport(fixture.body, { ...headers, 'GITHUB-PUBLIC-KEY-SIGNATURE': fixture.signature });
    expect(ours).toMatchObject({ status: 200, body: [{ label: 'false_positive' }] });
    const { signature, body, identifier: other } = GITHUB_EXAMPLE;
    const theirs = await sendReport(body, {
      ...headers,
      'GITHUB-PUBLIC-KEY-IDENTIFIER': other,
      'GITHUB-PUBLIC-KEY-SIGNATURE': signature,
    });
    expect(theirs).toMatchObject({ status: 200, body: [{ token_type: 'some_type', label: 'false_positive' }] });
  });

  test('of no findings is answered with none', async () => {
    expect(await reportFindings()).toMatchObject({ status: 200, body: [] });
  });

  test('of ten thousand findings is answered in good time, and finds the three that are real', async () => {
    const three = await Promise.all(['Acme', 'Rival', 'Third'].map((name) => createCompany(name)));
    const findings = Array.from({ length: 10_000 }, (_, at) =>
      leakFinding(
        three[at / 4000]?.key ?? generateRawKey(),
        `https://github.com/o/r/blob/${'f'.repeat(40)}/${at}/.env`,
      ),
    );
    const body = JSON.stringify(findings);
    const start = performance.now();
    const answer = await sendReport(body);
    expect(performance.now() - start).toBeLessThan(10_000);
    const labels = (answer.body as { label: string }[]).map(({ label }) => label);
    expect(labels).toHaveLength(10_000);
    expect(labels.flatMap((label, at) => (label === 'true_positive' ? [at] : []))).toEqual([0, 4000, 8000]);
    for (const one of three) expect(await isKeyEnabled(one)).toBe(false);
  });

  test('leaves no raw key in answers, events or the log', async () => {
    const acme = await createCompany();
    const unknown = generateRawKey();
    const answers = [
      await reportFindings(
        leakFinding(acme.key),
        leakFinding(unknown),
        leakFinding(acme.key, `https://x.example/${acme.key}`),
      ),
      await sendReport(`[${JSON.stringify(leakFinding(acme.key))}`),
      await sendReport(JSON.stringify({ token: acme.key })),
      await sendReport(JSON.stringify([leakFinding(acme.key)]), { ...signatureHeaders('other'), 'X-Request-Id': 'x' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 403]);
    const events = await sql<{ text: string }>(
      'select changes::text as text from audit_event where company_id = $1',
      acme.id,
    );
    const everything = JSON.stringify([
      answers.map(({ text }) => text),
      events,
      await acme.manage.apiKey.list(),
      logOutput,
    ]);
    expect(logOutput).toContain('a report of leaked keys');
    expect(logOutput).toContain(acme.apiKey.uniqueId);
    for (const key of [acme.key, unknown]) expect(everything).not.toContain(key.slice(20));
  });
});

describe('a report is refused, and changes nothing,', () => {
  let acme: TestCompany;
  let body: string;
  let before: unknown;
  beforeAll(async () => {
    acme = await createCompany();
    body = JSON.stringify([leakFinding(acme.key)]);
    before = await acme.events();
  });

  async function expectRefused(
    answer: Awaited<ReturnType<typeof sendReport>>,
    status: number,
    code: string,
    message: RegExp,
  ) {
    expect({ status: answer.status, code: answer.headers.get('x-error-code') }).toEqual({ status, code });
    expect(answer.body).toEqual({ error: expect.stringMatching(message) });
    expect(await acme.events()).toEqual(before);
    expect(await isKeyEnabled(acme)).toBe(true);
  }

  test.for(['Github-Public-Key-Identifier', 'Github-Public-Key-Signature'])('without %s', async (name) => {
    const headers = Object.entries(signatureHeaders(body)).filter(([header]) => header !== name);
    await expectRefused(
      await sendReport(body, Object.fromEntries(headers)),
      403,
      'forbidden',
      new RegExp(`^${name}: required$`),
    );
  });

  test.for(['unknown', `${keyIdentifier}, ${keyIdentifier}`, '__proto__', 'constructor'])(
    'by the key "%s"',
    async (name) => {
      const headers = { ...signatureHeaders(body), 'Github-Public-Key-Identifier': name };
      await expectRefused(await sendReport(body, headers), 403, 'forbidden', /^Github-Public-Key-Identifier: /);
    },
  );

  test.for(['x', 'AA==', 'MAA=', fixture.signature, GITHUB_EXAMPLE.signature, 'x'.repeat(4000)])(
    'signed with another’s or with nonsense: %#',
    async (forged) => {
      const headers = { ...signatureHeaders(body), 'Github-Public-Key-Signature': forged };
      await expectRefused(
        await sendReport(body, headers),
        403,
        'forbidden',
        /^Github-Public-Key-Signature: not the signature/,
      );
    },
  );

  test('when a byte of it, or only its spacing, is not what was signed', async () => {
    for (const tampered of [
      `${body} `,
      `${body}\n`,
      body.replace('/main/', '/next/'),
      JSON.stringify(JSON.parse(body), null, 1),
      '',
    ]) {
      await expectRefused(await sendReport(tampered, signatureHeaders(body)), 403, 'forbidden', /not the signature/);
    }
  });

  test.for(['', '{', '[', '[{]', 'x', '\u00FF'])('when what is signed is no JSON: "%s"', async (text) => {
    const bytes = Buffer.from(text, 'latin1');
    await expectRefused(
      await sendReport(bytes, signatureHeaders(bytes)),
      400,
      'malformed_json',
      /^The body is not JSON in UTF-8\.$/,
    );
  });

  test.for(['{}', 'null', '"x"', '5', '{"token":"x"}'])('when what is signed is no array: %s', async (text) => {
    await expectRefused(
      await sendReport(text, signatureHeaders(text)),
      400,
      'invalid_request',
      /^The body is not a JSON array\.$/,
    );
  });

  test('when it is not JSON by its type, or compressed', async () => {
    const typed = { ...signatureHeaders(body), 'Content-Type': 'text/plain' };
    await expectRefused(await sendReport(body, typed), 415, 'unsupported_media_type', /^Content-Type: /);
    const packed = { ...signatureHeaders(body), 'Content-Encoding': 'gzip' };
    await expectRefused(await sendReport(body, packed), 415, 'unsupported_media_type', /^Content-Encoding: /);
  });

  test('when it is larger than 8 MiB or has more than 50,000 findings', async () => {
    const most = body.padEnd(8 * 1024 * 1024);
    await expectRefused(
      await sendReport(`${most} `),
      413,
      'payload_too_large',
      /^The body is larger than 8388608 bytes\.$/,
    );
    const many = `[${Array.from({ length: 50_001 }, () => '{}').join(',')}]`;
    await expectRefused(
      await sendReport(many),
      413,
      'payload_too_large',
      /^The report holds more than 50000 findings\.$/,
    );
    const deep = '['.repeat(1_000_000);
    await expectRefused(await sendReport(deep), 400, 'malformed_json', /JSON/);
  });

  test('with any other verb', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(`${url}${REPORTS_PATH}`, { method });
      expect(answer).toMatchObject({ status: 405 });
      expect(answer.headers.get('allow')).toBe('POST');
    }
  });

  test('when the scanner’s public keys cannot be had: 503 that says when to come again', async () => {
    const nothing = await startCountingServer((_, response) => response.destroy());
    const { receiver, address } = await startReceiver(nothing.url);
    const answer = await sendReport(body, signatureHeaders(body), address);
    await expectRefused(answer, 503, 'unavailable', /^The public keys of the scanner cannot be fetched/);
    expect(answer.headers.get('retry-after')).toBe('10');
    nothing.close();
    await receiver.stop();
  });
});

describe('the receiver', () => {
  test('is off unless it is configured: the path is as unknown as any', async () => {
    const posted = await http('POST', REPORTS_PATH, { body: fixture.body, headers: signatureHeaders(fixture.body) });
    for (const answer of [posted, await http('GET', REPORTS_PATH)]) {
      expect(answer).toMatchObject({
        status: 404,
        body: { error: 'No such path. The paths are documented at /docs.' },
      });
    }
  });

  test.for([
    '/integrations',
    '/integrations/secret-scanning',
    `${REPORTS_PATH}/x`,
    `${REPORTS_PATH}//`,
    REPORTS_PATH.toUpperCase(),
  ])('is at no other path: %s', async (path) => {
    const headers = signatureHeaders(fixture.body);
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: fixture.body });
    expect(answer.status).toBe(404);
  });

  test('takes one trailing slash', async () => {
    const answer = await fetch(`${url}${REPORTS_PATH}/`, {
      method: 'POST',
      headers: signatureHeaders('[]'),
      body: '[]',
    });
    expect(answer.status).toBe(200);
  });

  test('reads sixteen reports at once, and no more: strangers cannot fill the memory', async () => {
    const head = Object.entries({ Host: 'x', 'Content-Length': '100', ...signatureHeaders('x') });
    const text = `POST ${REPORTS_PATH} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
    const sockets = Array.from({ length: 16 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
    for (const socket of sockets) socket.write(text);
    await expect.poll(async () => (await reportFindings()).status, { timeout: 10_000 }).toBe(503);
    const shed = await reportFindings();
    expect(shed.body).toEqual({ error: 'Too many reports at once. Try again shortly.' });
    expect(shed.headers.get('retry-after')).toBe('1');
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await reportFindings()).status, { timeout: 10_000 }).toBe(200);
  });

  test('asks for the scanner’s keys once for all of the above', () => {
    expect(keyServer.asked()).toBeLessThanOrEqual(2);
  });
});

test('the pattern to register finds every key, alone and in text, and is the one in the documentation', async () => {
  const pattern = new RegExp(RAW_KEY_PATTERN, 'g');
  for (const key of Array.from({ length: 200 }, generateRawKey)) {
    expect(`API_KEY="${key}"; url=https://x.example/?k=${key}&y`.match(pattern)).toEqual([key, key]);
  }
  expect(RAW_KEY_PATTERN).toBe('svc_sk_live_[0-9A-Za-z]{46}');
  const page = await readFile(join(import.meta.dirname, '../..', 'docs', 'api-keys.md'), 'utf8');
  expect(page).toContain(RAW_KEY_PATTERN);
});
