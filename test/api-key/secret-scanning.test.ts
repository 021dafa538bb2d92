import { createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RAW_KEY_PATTERN, generateRawKey } from '../../entities/api-key/raw-key.ts';
import { REPORTS_PATH } from '../../server/secret-scanning/route.ts';
import { sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { untilServed } from '../support/http/client.ts';
import { http } from '../support/http/server.ts';
import {
  fixture,
  keyIdentifier,
  leakFinding,
  signatureHeaders,
  startCountingServer,
} from '../support/servers/secret-scanner.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

// Signed example report from GitHub's documentation of the secret scanning partner program.
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

let logOutput = '';

/** Starts the service with the receiver enabled and an unredacted log. */
const startReceiver = (secretScanningKeysUrl: string) => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void (logOutput += line) });
  return startApp({ log, secretScanningKeysUrl });
};

const publicKeys = JSON.parse(fixture.publicKeysJson) as { public_keys: object[] };
publicKeys.public_keys.push({ key_identifier: GITHUB_EXAMPLE.identifier, key: GITHUB_EXAMPLE.key, is_current: false });
const keyServer = await startCountingServer((_, response) => response.end(JSON.stringify(publicKeys)));
afterAll(keyServer.close);
const { url, stop } = await startReceiver(keyServer.url);
afterAll(stop);

async function sendReport(
  body: string | Buffer,
  headers: Record<string, string> = signatureHeaders(body),
  baseUrl = url,
) {
  const response = await fetch(`${baseUrl}${REPORTS_PATH}`, { method: 'POST', headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as unknown };
}
type Report = Awaited<ReturnType<typeof sendReport>>;
const reportFindings = (...findings: unknown[]) => sendReport(JSON.stringify(findings));

const isKeyEnabled = async (acme: TestCompany) =>
  (await acme.manage.apiKey.get({ uniqueId: acme.apiKey.uniqueId })).enabled;

describe('a signed report', () => {
  test('disables the key, and the next request with the key is rejected', async () => {
    const acme = await createCompany();
    const get = () => fetch(`${url}/external/smart-inventory/vendor/list`, { headers: { 'X-API-Key': acme.key } });
    expect((await get()).status).toBe(200);
    const response = await reportFindings(leakFinding(acme.key));
    expect(response).toMatchObject({
      status: 200,
      body: [{ token_type: 'compliance_api_key', label: 'true_positive' }],
    });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const rejected = await get();
    expect([rejected.status, rejected.headers.get('x-error-code')]).toEqual([401, 'key_disabled']);
    const [, event] = await acme.events(acme.apiKey.uniqueId);
    expect(event?.request_id).toBe(response.headers.get('x-request-id'));
  });

  test('that is repeated has the same response and no further effect', async () => {
    const acme = await createCompany();
    const body = JSON.stringify([leakFinding(acme.key), leakFinding(generateRawKey()), null]);
    const headers = signatureHeaders(body);
    const first = await sendReport(body, headers);
    const events = await acme.events();
    const repeated = await Promise.all(Array.from({ length: 5 }, () => sendReport(body, headers)));
    for (const response of repeated) expect(response.body).toEqual(first.body);
    expect(await acme.events()).toEqual(events);
  });

  test('from another program and from GitHub’s documentation is verified', async () => {
    const key = createPublicKey(fixture.privateKey);
    expect(verify('sha256', fixture.body, key, Buffer.from(fixture.signature, 'base64'))).toBe(true);
    const falsePositive = { status: 200, body: [{ label: 'false_positive' }] };
    for (const { identifier, signature, body, verdict } of [
      { ...fixture, identifier: keyIdentifier, verdict: {} },
      { ...GITHUB_EXAMPLE, verdict: { token_type: 'some_type' } },
    ]) {
      const keys = { 'GITHUB-PUBLIC-KEY-IDENTIFIER': identifier, 'GITHUB-PUBLIC-KEY-SIGNATURE': signature };
      const response = await sendReport(body, { 'Content-Type': 'application/json', ...keys });
      expect(response).toMatchObject({ ...falsePositive, body: [{ ...falsePositive.body[0], ...verdict }] });
    }
  });

  test('without findings returns an empty array', async () => {
    expect(await reportFindings()).toMatchObject({ status: 200, body: [] });
  });

  test('with 10,000 findings finds the three keys', async () => {
    const companies = await Promise.all(['Acme', 'Rival', 'Third'].map((name) => createCompany(name)));
    const findings = Array.from({ length: 10_000 }, (_, index) =>
      leakFinding(
        companies[index / 4000]?.key ?? generateRawKey(),
        `https://github.com/o/r/blob/${'f'.repeat(40)}/${index}/.env`,
      ),
    );
    const body = JSON.stringify(findings);
    const response = await untilServed(async () => {
      const { headers, ...sent } = await sendReport(body);
      return { ...sent, headers: Object.fromEntries(headers) };
    });
    const labels = (response.body as { label: string }[]).map(({ label }) => label);
    expect(labels).toHaveLength(10_000);
    expect(labels.flatMap((label, index) => (label === 'true_positive' ? [index] : []))).toEqual([0, 4000, 8000]);
    for (const company of companies) expect(await isKeyEnabled(company)).toBe(false);
  });

  test('leaves no raw key in responses, audit events or the log', async () => {
    const acme = await createCompany();
    const unknown = generateRawKey();
    const responses = [
      await reportFindings(
        leakFinding(acme.key),
        leakFinding(unknown),
        leakFinding(acme.key, `https://x.example/${acme.key}`),
      ),
      await sendReport(`[${JSON.stringify(leakFinding(acme.key))}`),
      await sendReport(JSON.stringify({ token: acme.key })),
      await sendReport(JSON.stringify([leakFinding(acme.key)]), { ...signatureHeaders('other'), 'X-Request-Id': 'x' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 400, 400, 403]);
    const events = await sql<{ text: string }>(
      'select changes::text as text from audit_event where company_id = $1',
      acme.id,
    );
    const everything = JSON.stringify([
      responses.map(({ text }) => text),
      events,
      await acme.manage.apiKey.list(),
      logOutput,
    ]);
    expect(logOutput).toContain('secret scanning: report processed');
    expect(logOutput).toContain(acme.apiKey.uniqueId);
    for (const key of [acme.key, unknown]) expect(everything).not.toContain(key.slice(20));
  });
});

describe('a report is rejected and changes nothing', () => {
  let acme: TestCompany;
  let body: string;
  let before: unknown;
  beforeAll(async () => {
    acme = await createCompany();
    body = JSON.stringify([leakFinding(acme.key)]);
    before = await acme.events();
  });

  type Rejection = [status: number, code: string, message: RegExp];
  const forbidden = (message: RegExp): Rejection => [403, 'forbidden', message];
  const expectRejected = async (response: Promise<Report>, [status, code, message]: Rejection) => {
    const { headers, ...rejected } = await response;
    expect([rejected.status, headers.get('x-error-code')]).toEqual([status, code]);
    expect(rejected.body).toEqual({ error: expect.stringMatching(message) });
    expect(await acme.events()).toEqual(before);
    expect(await isKeyEnabled(acme)).toBe(true);
    return headers;
  };
  /** Sends the report with other headers than those that sign it. */
  const sendWith = (headers: Record<string, string>) => sendReport(body, { ...signatureHeaders(body), ...headers });

  test.for(['Github-Public-Key-Identifier', 'Github-Public-Key-Signature'])('without %s', async (name) => {
    const headers = Object.entries(signatureHeaders(body)).filter(([header]) => header !== name);
    await expectRejected(sendReport(body, Object.fromEntries(headers)), forbidden(new RegExp(`^${name}: required$`)));
  });

  test.for(['unknown', `${keyIdentifier}, ${keyIdentifier}`, '__proto__', 'constructor'])(
    'with the key identifier "%s"',
    async (name) => {
      const sent = sendWith({ 'Github-Public-Key-Identifier': name });
      await expectRejected(sent, forbidden(/^Github-Public-Key-Identifier: /));
    },
  );

  test.for(['x', 'AA==', 'MAA=', fixture.signature, GITHUB_EXAMPLE.signature, 'x'.repeat(4000)])(
    'with an invalid signature: %#',
    async (forged) => {
      const sent = sendWith({ 'Github-Public-Key-Signature': forged });
      await expectRejected(sent, forbidden(/^Github-Public-Key-Signature: not a valid signature/));
    },
  );

  test('if the body differs from the signed body in one byte', async () => {
    const spaced = JSON.stringify(JSON.parse(body), null, 1);
    for (const tampered of [`${body} `, `${body}\n`, body.replace('/main/', '/next/'), spaced, ''])
      await expectRejected(
        sendReport(tampered, signatureHeaders(body)),
        forbidden(/not a valid signature of this body/),
      );
  });

  test.for(['', '{', '[', '[{]', 'x', '\u00FF'])('if the signed body is not JSON: "%s"', async (text) => {
    const sent = sendReport(Buffer.from(text, 'latin1'));
    await expectRejected(sent, [400, 'malformed_json', /^The body is not JSON in UTF-8\.$/]);
  });

  test.for(['{}', 'null', '"x"', '5', '{"token":"x"}'])('if the signed body is not an array: %s', async (text) => {
    await expectRejected(sendReport(text), [400, 'invalid_request', /^The body is not a JSON array\.$/]);
  });

  test.for([
    ['Content-Type', 'text/plain'],
    ['Content-Encoding', 'gzip'],
  ] as const)('with the %s %s', async ([name, value]) => {
    await expectRejected(sendWith({ [name]: value }), [415, 'unsupported_media_type', new RegExp(`^${name}: `)]);
  });

  test('with more than 8 MiB or more than 50,000 findings', async () => {
    const tooLarge = (message: RegExp): Rejection => [413, 'payload_too_large', message];
    const large = sendReport(body.padEnd(8 * 1024 * 1024 + 1));
    await expectRejected(large, tooLarge(/^The body is larger than 8388608 bytes\.$/));
    const many = sendReport(`[${Array.from({ length: 50_001 }, () => '{}').join(',')}]`);
    await expectRejected(many, tooLarge(/^The report has more than 50000 findings\.$/));
    await expectRejected(sendReport('['.repeat(1_000_000)), [400, 'malformed_json', /JSON/]);
  });

  test('with another method', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${url}${REPORTS_PATH}`, { method });
      expect(response).toMatchObject({ status: 405 });
      expect(response.headers.get('allow')).toBe('POST');
    }
  });

  test('with 503 and Retry-After if the public keys of the scanner cannot be fetched', async () => {
    const brokenServer = await startCountingServer((_, response) => response.destroy());
    onTestFinished(brokenServer.close);
    const broken = await startReceiver(brokenServer.url);
    onTestFinished(broken.stop);
    const unavailable = /^The public keys of the scanner are unavailable/;
    const sent = sendReport(body, signatureHeaders(body), broken.url);
    expect((await expectRejected(sent, [503, 'unavailable', unavailable])).get('retry-after')).toBe('10');
  });
});

describe('the receiver', () => {
  test('is off unless it is configured, and its path then returns 404', async () => {
    const post = await http('POST', REPORTS_PATH, { body: fixture.body, headers: signatureHeaders(fixture.body) });
    for (const response of [post, await http('GET', REPORTS_PATH)]) {
      expect(response).toMatchObject({
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
  ])('has no other path: %s', async (path) => {
    const headers = signatureHeaders(fixture.body);
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: fixture.body });
    expect(response.status).toBe(404);
  });

  test('accepts one trailing slash', async () => {
    const response = await fetch(`${url}${REPORTS_PATH}/`, {
      method: 'POST',
      headers: signatureHeaders('[]'),
      body: '[]',
    });
    expect(response.status).toBe(200);
  });

  test('reads at most 16 reports concurrently, to limit memory use by unauthenticated clients', async () => {
    const head = Object.entries({ Host: 'x', 'Content-Length': '100', ...signatureHeaders('x') });
    const text = `POST ${REPORTS_PATH} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
    const sockets = Array.from({ length: 16 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
    for (const socket of sockets) socket.write(text);
    await expect.poll(async () => (await reportFindings()).status, { timeout: 120_000 }).toBe(503);
    const shed = await reportFindings();
    expect(shed.body).toEqual({ error: 'Too many concurrent reports. Try again shortly.' });
    expect(shed.headers.get('retry-after')).toBe('1');
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await reportFindings()).status, { timeout: 120_000 }).toBe(200);
  });

  test('fetches the public keys at most twice during all tests above', () => {
    expect(keyServer.requestCount()).toBeLessThanOrEqual(2);
  });
});

test('the documented pattern matches every key, alone and within text', async () => {
  const pattern = new RegExp(RAW_KEY_PATTERN, 'g');
  for (const key of Array.from({ length: 200 }, generateRawKey)) {
    expect(`API_KEY="${key}"; url=https://x.example/?k=${key}&y`.match(pattern)).toEqual([key, key]);
  }
  expect(RAW_KEY_PATTERN).toBe('svc_sk_live_[0-9A-Za-z]{46}');
  const page = await readFile(join(import.meta.dirname, '../..', 'docs', 'api-keys.md'), 'utf8');
  expect(page).toContain(RAW_KEY_PATTERN);
});
