import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Session } from '../../../database/session.ts';
import { defineStatement, pipelinedRead } from '../../../entities/statements/define-statement.ts';
import { newUniqueId } from '../../../entities/ids.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { vendorStatements } from '../../../entities/vendor/statements.ts';
import { vendorResource } from '../../../entities/vendor/vendor.ts';
import { createAuthentication } from '../../../server/auth/authenticate.ts';
import { PageOrigins } from '../../../server/auth/same-origin.ts';
import { sessionCookie } from '../../../server/auth/cookies.ts';
import { createSessionAuthentication } from '../../../server/auth/web-session.ts';
import { database } from '../../support/database/database.ts';
import { OPERATOR_TOKEN } from '../../support/http/client.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember, services } from '../../support/tenants/member.ts';

const { appUrl } = services;
const cookie = sessionCookie(appUrl);
const origins = new PageOrigins({ appUrl, corsOrigins: [], host: '127.0.0.1' });
const sessions = createSessionAuthentication(database, cookie, origins);
const { anyCredential } = createAuthentication(database, OPERATOR_TOKEN, sessions);

const acme = await createCompany();
const [session = ''] = cookie.header((await createMember(acme)).token).split(';');
const read = pipelinedRead('test.deadlines-read', 'select 1 as one');
const busy = defineStatement('test.deadlines-busy', 'select count(*) from generate_series(1, 2000000)');

// The clock moves only when a test advances it, while the thread of the database runs in real time.
const toFake = ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake] }));
// The checks of deadlines end, so that later ones start them again with real timers.
afterEach(async () => {
  await vi.advanceTimersByTimeAsync(100);
  vi.useRealTimers();
});

/** Starts a transaction, which keeps the only connection until the returned function is called. */
async function holdConnection(): Promise<() => Promise<void>> {
  const [started, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = database.transaction(
    async () => {
      started.resolve();
      await held.promise;
    },
    { deadline: performance.now() + 60_000 },
  );
  await started.promise;
  return async () => {
    held.resolve();
    await ended;
  };
}

describe('while a transaction keeps the connection for 4.4 of the 4.5 seconds of a request,', () => {
  test.for<[string, Record<string, string>]>([
    ['of an API key', { 'x-api-key': acme.key }],
    ['of the operator', { authorization: `Bearer ${OPERATOR_TOKEN}`, 'x-company-id': String(acme.id) }],
    ['of a person', { cookie: session, 'sec-fetch-site': 'same-origin' }],
  ])('the lookup %s waits', async ([, headers]) => {
    database.apiKeyCache.invalidate();
    const endTransaction = await holdConnection();
    const result = anyCredential({ headers, address: null, requestId: 'a-request', requestOrigin: appUrl });
    await vi.advanceTimersByTimeAsync(4400);
    await endTransaction();
    expect((await result).context.session.principal).toMatchObject({ company: acme.id });
  });

  test('a read waits until its own deadline, not until that of an earlier read on the same connection', async () => {
    const endTransaction = await holdConnection();
    const early = database.run(read, {}, {}, performance.now() + 1000);
    const late = database.run(read, {}, {});
    await Promise.all([
      expect(early).rejects.toMatchObject({ code: 'unavailable' }),
      vi.advanceTimersByTimeAsync(4400),
    ]);
    await endTransaction();
    expect(await late).toEqual([{ one: 1 }]);
  });

  test('a write waits until its own deadline, not until that of another write in its batch', async () => {
    const insert = (name: string, timeoutMs?: number) => {
      const options = timeoutMs === undefined ? {} : { timeoutMs };
      const as = new Session(database, operatorPrincipal(acme.id), 'a-request', options);
      return as.one(vendorStatements.insert, { ...vendorResource.defaults, uniqueId: newUniqueId(), name });
    };
    const endTransaction = await holdConnection();
    const [early, late] = [insert('Early', 2500), insert('Late')];
    await Promise.all([
      expect(early).rejects.toMatchObject({ code: 'unavailable' }),
      vi.advanceTimersByTimeAsync(4400),
    ]);
    await endTransaction();
    expect(await late).toMatchObject({ name: 'Late' });
  });
});

test('a statement waits for one that missed its deadline, beyond the timeout of a connection to a server', async () => {
  const late = database.run(busy, {}, {}, performance.now() + 100);
  await Promise.all([expect(late).rejects.toMatchObject({ code: 'unavailable' }), vi.advanceTimersByTimeAsync(200)]);
  const next = database.query('test.deadlines-next', 'select 1 as one', []);
  await vi.advanceTimersByTimeAsync(3000);
  expect(await next).toEqual([{ one: 1 }]);
});
