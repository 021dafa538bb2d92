import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, onTestFinished } from 'vitest';
import type { Services } from '../../../procedures/core/services.ts';
import type { OpenedStorage } from '../../../server/storage/open.ts';
import { openStorage } from '../../../server/storage/open.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { database, databaseUrl } from '../database/database.ts';
import { startApp } from '../http/app.ts';
import { createCompany } from '../tenants/company.ts';
import { createMember, services } from '../tenants/member.ts';
import type { TestMember } from '../tenants/member.ts';
import { isWithoutChromium } from './chromium.ts';
import { testInChromium } from './shared-chromium.ts';
import { Windows } from './windows.ts';
import type { View } from './windows.ts';

// Opens the built application in Chromium, as a member of a test company. Every test also checks that the console is empty and
// that no request leaves the server.

/** Files over it are rejected. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;

interface Application {
  origin: string;
  services: Services;
  storage: OpenedStorage;
  windows: Windows;
}

let application: Application;

/** A test that gets the application of its worker: a server and its windows. */
const testInApplication = testInChromium.extend(
  'application',
  { scope: 'worker' },
  async ({ chromium }, { onCleanup }): Promise<Application> => {
    const dataDir = await mkdtemp(join(tmpdir(), 'compliance-'));
    const storage = await openStorage(
      {
        s3: undefined,
        databaseUrl: undefined,
        dataDir,
        evidenceMaxBytes: MAX_FILE_BYTES,
        evidenceQuotaBytes: 1024 * MAX_FILE_BYTES,
      },
      database,
      createLog('silent'),
    );
    const applicationServices: Services = { ...services, storage, appUrl: () => origin };
    const server = await startApp({ services: applicationServices });
    const origin = server.url.replace('127.0.0.1', 'localhost');
    onCleanup(async () => {
      await server.stop();
      storage.stop();
      await rm(dataDir, { recursive: true, force: true });
    });
    return { origin, services: applicationServices, storage, windows: new Windows(chromium, origin) };
  },
);

/**
 * Tests in a browser. The application does not depend on the kind of database, so they run once, on the embedded one. All of a worker
 * use one server: each test creates its own companies.
 */
export function describeInBrowser(title: string, tests: () => void): void {
  // oxlint-disable-next-line vitest/valid-title -- the callers give the title
  describe.skipIf(isWithoutChromium || databaseUrl !== undefined)(title, () => {
    testInApplication.beforeAll(({ application: started }) => {
      application = started;
    });
    afterEach(async ({ task }) => {
      const { windows } = application;
      const isPassed = task.result?.state !== 'fail' && windows.problems.length === 0;
      if (!isPassed) {
        const picture = await windows.keep(`${title} ${task.name}`);
        for (const error of task.result?.errors ?? []) error.message += `\nThe page: ${picture}, and its console: .txt`;
      }
      expect(await windows.reset(isPassed)).toEqual([]);
    });
    tests();
  });
}

/** Stores of the server under test. */
export const applicationStorage = (): OpenedStorage => application.storage;

/** Sets up mail for a test, which waits until the pages of the server say so. The mails stay in the queue. */
export async function setUpMail(): Promise<void> {
  const { services: served, origin } = application;
  const set = async (hasMail: boolean) => {
    served.hasMail = hasMail;
    // The server keeps its facts for a few seconds.
    const read = async () => (await fetch(`${origin}/session/service`)).json();
    await expect.poll(read, { timeout: FACTS_TIMEOUT_MS }).toMatchObject({ mail: hasMail });
  };
  onTestFinished(() => set(false));
  await set(true);
}

const FACTS_TIMEOUT_MS = 30_000;

/** Origin of the server under test. */
export const applicationOrigin = (): string => application.origin;

/** Opens a window of somebody who is not signed in. */
export const openWindow = (path: string, view: View = {}): Promise<Page> => application.windows.open(path, view);

/** Opens a window of a member, for example at `/tasks?framework=1`. */
export function openAs({ token }: Pick<TestMember, 'token'>, path: string, view: View = {}): Promise<Page> {
  const { origin, windows } = application;
  return windows.open(path, view, { name: `session-${new URL(origin).port}`, value: token });
}

/** Opens a window of a new member of a new company; by default an admin. */
export async function openAsMember(path: string, member?: Parameters<typeof createMember>[1], view?: View) {
  const company = await createCompany();
  const ann = await createMember(company, member);
  return { company, ann, page: await openAs(ann, path, view) };
}

/** Problems that a test expects, for example the console line of a 412. Call it before they happen. */
export const expectConsole = (pattern: RegExp): void => application.windows.expect(pattern);

/** Chooses an option of a combobox. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByLabel(label).and(page.getByRole('combobox')).click();
  await page.getByRole('listbox').getByRole('option', { name: option }).click();
}
