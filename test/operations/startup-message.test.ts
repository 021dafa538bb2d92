import { expect, test } from 'vitest';
import { startupMessage } from '../../server/process/startup-message.ts';

const linesOf = (appUrl: string): string[] =>
  startupMessage(
    { url: 'http://localhost:3000', appUrl, metricsUrl: undefined, demo: undefined },
    { databaseUrl: undefined, dataDir: '/data' },
    undefined,
  ).split('\n');

test.each(['http://intranet.example:3000', 'http://192.0.2.10:3000', 'http://localhost.example'])(
  'the start says in one line that cookies are not protected at %s',
  (appUrl) => {
    expect(linesOf(appUrl).filter((line) => line.includes('not protected'))).toEqual([
      `Cookies        not protected: anyone who can see the traffic to ${appUrl} can act as a signed-in person; use https`,
    ]);
  },
);

test.each(['https://compliance.example.com', 'http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:3000'])(
  'the start says nothing of cookies at %s',
  (appUrl) => {
    expect(linesOf(appUrl).filter((line) => /cookie/i.test(line))).toEqual([]);
  },
);
