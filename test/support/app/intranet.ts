import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import type { TestContext } from 'vitest';
import { database } from '../database/database.ts';
import { startApp } from '../http/app.ts';
import { serverStorage } from '../http/server.ts';
import { startStrippingProxy } from '../http/stripping-proxy.ts';
import { services } from '../tenants/member.ts';
import { launchChromium } from './chromium.ts';
import { Windows } from './windows.ts';

/** Name of the service for the browser. */
export const INTRANET_HOST = 'intranet.example';
/** Chromium says in each page of http that it ignores this header. */
const IGNORED_HEADER = /Cross-Origin-Opener-Policy header has been ignored/;

/** A service at a host name that is not this machine for the browser. */
export interface Intranet {
  origin: string;
  windows: Windows;
  /** Requests that the service received: `GET /session 200`. */
  requests: string[];
  stop: () => Promise<void>;
}

interface IntranetOptions {
  /** True to put the proxy with https before the service. */
  isBehindProxy?: boolean;
  ofDatabase?: typeof database;
}

/** Starts a service whose name only the browser knows. Its identity providers may be on this machine. */
export async function startIntranet(
  chromium: Browser,
  { isBehindProxy = false, ofDatabase = database }: IntranetOptions = {},
): Promise<Intranet> {
  const requests: string[] = [];
  let origin = '';
  const app = await startApp(
    {
      services: { ...services, storage: serverStorage, appUrl: () => origin },
      trustProxy: isBehindProxy ? 1 : 0,
      takesLocalProviders: () => true,
      observers: [
        ({ method, route, status }, ctx) => {
          const isFetchMetadata = Object.keys(ctx.headers).some((name) => name.startsWith('sec-fetch-'));
          requests.push(`${method} ${route} ${status}${isFetchMetadata ? ' with Sec-Fetch-*' : ''}`);
        },
      ],
    },
    ofDatabase,
  );
  const proxy = isBehindProxy ? await startStrippingProxy(INTRANET_HOST, () => app.url) : undefined;
  origin =
    proxy === undefined ? `http://${INTRANET_HOST}:${new URL(app.url).port}` : `https://${INTRANET_HOST}:${proxy.port}`;
  return {
    origin,
    requests,
    windows: new Windows(chromium, origin),
    stop: async () => {
      proxy?.stop();
      await app.stop();
    },
  };
}

/** Starts a Chromium that finds the service by its name. */
export const launchIntranetChromium = (): Promise<Browser> =>
  launchChromium([`--host-resolver-rules=MAP ${INTRANET_HOST} 127.0.0.1`]);

/** Checks at the end of a test that its pages had no problem, and that no request had a header of Fetch Metadata. */
export async function checkIntranet(
  { windows, requests }: Intranet,
  { name, result }: Pick<TestContext['task'], 'name' | 'result'>,
): Promise<void> {
  const isPassed = result?.state !== 'fail';
  if (!isPassed) await windows.keep(name);
  const problems = await windows.reset(isPassed);
  expect(problems.filter((problem) => !IGNORED_HEADER.test(problem))).toEqual([]);
  expect(requests.splice(0).filter((request) => request.endsWith('with Sec-Fetch-*'))).toEqual([]);
}
