import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../support/http/listen.ts';

// The receiver of docs/webhooks.md. The package standardwebhooks signs its requests.

const root = join(import.meta.dirname, '../..');
const file = 'docs/examples/webhook-receiver.ts';
const secret = `whsec_${randomBytes(32).toString('base64')}`;

let receiver: ChildProcess;
let url: string;
let output = '';

beforeAll(async () => {
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, SECRET: secret, PORT: String(port) };
  receiver = spawn(process.execPath, [file], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  receiver.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const isListening = () => fetch(url).then(Boolean, () => false);
  while (!(await isListening())) await wait(50);
});
afterAll(async () => {
  receiver.kill();
  await once(receiver, 'exit');
});

/** Sends an event as the server does. @returns the status of the response */
async function send(
  sequence: number,
  { id = randomUUID(), signingSecret = secret, secondsAgo = 0, changed = '' } = {},
) {
  const time = new Date(Date.now() - 1000 * secondsAgo);
  const body = JSON.stringify({ type: 'task.update', sequence, data: { resource: { type: 'task', uniqueId: 'ü' } } });
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
    'webhook-signature': new Webhook(signingSecret).sign(id, time, body),
  };
  const { status } = await fetch(url, { method: 'POST', headers, body: body + changed });
  return status;
}

test('the documented receiver takes each signed event once, and rejects forged and old requests', async () => {
  expect(await send(1)).toBe(204);
  expect(await send(2, { signingSecret: `whsec_${randomBytes(32).toString('base64')}` })).toBe(400);
  expect(await send(3, { changed: ' ' })).toBe(400);
  expect(await send(4, { secondsAgo: 310 })).toBe(400);
  const id = randomUUID();
  expect([await send(5, { id }), await send(5, { id })]).toEqual([204, 204]);
  expect(await send(6)).toBe(204);
  await expect.poll(() => output).toContain('6 ');
  expect(output).toBe('1 task.update ü\n5 task.update ü\n6 task.update ü\n');
});

test('the documented receiver has at most 20 lines of code', async () => {
  const text = await readFile(join(root, file), 'utf8');
  expect(text.split('\n').filter((line) => !/^(?:\/\/|$)/.test(line)).length).toBeLessThanOrEqual(20);
});
