import { expect, vi } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { database, sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { createMember, services } from '../support/tenants/member.ts';

test('each member of a company may wait for changes twice', async ({ acme }) => {
  const members = await Promise.all([createMember(acme), createMember(acme)]);
  // No seal follows: tests run no sealing job.
  const cursor = '0';
  const stopped = new AbortController();
  const before = database.sealWaiters.count;
  const waits = members.flatMap(({ context: { session } }) =>
    [1, 2].map(() => session.waitForSeals(cursor, { timeoutMs: 60_000, signal: stopped.signal })),
  );
  expect(database.sealWaiters.count - before).toBe(4);
  const [third] = members;
  expect(await third?.context.session.waitForSeals(cursor, { timeoutMs: 60_000 })).toBe(false);
  stopped.abort();
  expect(await Promise.all(waits)).toEqual([false, false, false, false]);
});

test('a wait ends with 409 if the session acts for another company meanwhile', async ({ acme, rival }) => {
  const member = await createMember(acme);
  await createMember(rival, { email: member.email });
  const app = await startApp({ services });
  try {
    const list = async (input: object) => {
      const response = await fetch(`${app.url}/trpc/changes.list?input=${encodeURIComponent(JSON.stringify(input))}`, {
        headers: { cookie: `session-3000=${member.token}`, 'Sec-Fetch-Site': 'same-origin' },
      });
      return { status: response.status, body: (await response.json()) as { result?: { data: { cursor: string } } } };
    };
    const { body } = await list({ from: 'now' });
    const before = database.sealWaiters.count;
    const waiting = list({ cursor: body.result?.data.cursor, wait: 2 });
    await vi.waitFor(() => expect(database.sealWaiters.count).toBe(before + 1), { timeout: 60_000 });
    await sql(
      'update web_session set company_id = $1::int where unique_id = $2::uuid',
      rival.id,
      member.webSession.uniqueId,
    );
    expect(await waiting).toMatchObject({
      status: 409,
      body: { error: { message: 'The session acts for another company now.' } },
    });
  } finally {
    await app.stop();
  }
});
