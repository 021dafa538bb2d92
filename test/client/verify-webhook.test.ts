import { randomBytes } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { WebhookError, verifyWebhook } from '../../clients/typescript/src/index.ts';

// The package standardwebhooks is the independent judge of signatures.

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const body = JSON.stringify({
  type: 'task.update',
  timestamp: '2026-11-21T09:30:00.000Z',
  sequence: 7,
  data: { ü: '€' },
});

/** Signs a body as the server does, some seconds ago. */
function sign(text: string, signingSecret = secret, secondsAgo = 0, now = Date.now()) {
  const time = new Date(now - secondsAgo * 1000);
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
    'webhook-signature': new Webhook(signingSecret).sign('msg_1', time, text),
  };
}

describe('verifyWebhook', () => {
  test('returns the event of a body that standardwebhooks signed', async () => {
    const event = { type: 'task.update', sequence: 7, data: { ü: '€' } };
    expect(await verifyWebhook(body, sign(body), secret)).toMatchObject(event);
    expect(await verifyWebhook(new TextEncoder().encode(body), new Headers(sign(body)), [secret])).toMatchObject(event);
    const upperCase = Object.fromEntries(
      Object.entries(sign(body)).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(await verifyWebhook(Buffer.from(body), upperCase, secret)).toMatchObject(event);
  });

  test('accepts any of several signatures with any of several secrets, as during a rotation', async () => {
    const next = newSecret();
    const now = Date.now(); // of both signatures, which may be made in two seconds
    const signed = sign(body, secret, 0, now);
    const both = {
      ...signed,
      'webhook-signature': `v1a,other ${sign(body, next, 0, now)['webhook-signature']} v1,bad ${signed['webhook-signature']}`,
    };
    for (const secrets of [secret, next, [newSecret(), next], [secret, next]])
      expect(await verifyWebhook(body, both, secrets)).toMatchObject({ sequence: 7 });
    await expect(verifyWebhook(body, both, [newSecret()])).rejects.toThrow(WebhookError);
  });

  test.for([
    ['a changed body', `${body} `, {}],
    ['a changed id', body, { 'webhook-id': 'msg_2' }],
    ['a changed timestamp', body, { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 9) }],
    [
      'a signature of another version',
      body,
      { 'webhook-signature': sign(body)['webhook-signature'].replace('v1', 'v2') },
    ],
    ['a short signature', body, { 'webhook-signature': sign(body)['webhook-signature'].slice(0, -9) }],
    ['no signature', body, { 'webhook-signature': '' }],
    ['no id', body, { 'webhook-id': undefined }],
    ['a malformed timestamp', body, { 'webhook-timestamp': '1e9' }],
  ] as const)('rejects %s, as standardwebhooks does', async ([, text, changed]) => {
    const headers = { ...sign(body), ...changed };
    await expect(verifyWebhook(text, headers, secret)).rejects.toThrow(WebhookError);
    expect(() => new Webhook(secret).verify(text, headers as Record<string, string>)).toThrow(WebhookVerificationError);
  });

  test.for([
    [290, true],
    [310, false],
    [-290, true],
    [-310, false],
  ] as const)('judges a signature of %d seconds ago as standardwebhooks does', async ([secondsAgo, isValid]) => {
    const headers = sign(body, secret, secondsAgo);
    const verified = () => new Webhook(secret).verify(body, headers);
    if (isValid) {
      expect(verified()).toMatchObject({ sequence: 7 });
      expect(await verifyWebhook(body, headers, secret)).toMatchObject({ sequence: 7 });
    } else {
      expect(verified).toThrow(/timestamp/i);
      await expect(verifyWebhook(body, headers, secret)).rejects.toThrow('webhook-timestamp');
    }
  });

  test('throws a TypeError for a secret that is not base64, because no webhook would be valid', async () => {
    await expect(verifyWebhook(body, sign(body), 'whsec_%%%')).rejects.toThrow(TypeError);
  });
});
