import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { openStorage } from '../../../server/storage/open.ts';
import type { OpenedStorage } from '../../../server/storage/open.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { database, databaseUrl } from '../database/database.ts';
import { startApp } from '../http/app.ts';
import { createCompany } from '../tenants/company.ts';
import { createMember, services } from '../tenants/member.ts';
import type { TestMember } from '../tenants/member.ts';
import { isWithoutChromium, launchChromium } from './chromium.ts';

// Opens the built application in Chromium, as a member of a test company. Every test also checks that the console is empty and
// that no request leaves the server.

const axeSource = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const WCAG_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const SCREENSHOTS = new URL('../../../test-results/app/', import.meta.url);
/** Milliseconds. Long enough for a busy machine. */
const TIMEOUT = 60_000;

interface View {
  colorScheme?: 'light' | 'dark';
  /** Pixels. */
  width?: number;
}

/** Files over it are rejected. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;

let browser: Browser;
let storage: OpenedStorage;
let folder: string;
let server: Awaited<ReturnType<typeof startApp>>;
let origin: string;
let contexts: BrowserContext[] = [];
let problems: string[] = [];

/**
 * Tests with a server and a browser. The application does not depend on the kind of database, so they run once, on the embedded
 * one.
 */
export function describeInBrowser(title: string, tests: () => void): void {
  // oxlint-disable-next-line vitest/valid-title -- the callers give the title
  describe.skipIf(isWithoutChromium || databaseUrl !== undefined)(title, () => {
    startApplication();
    tests();
  });
}

function startApplication(): void {
  beforeAll(async () => {
    browser = await launchChromium();
    folder = await mkdtemp(join(tmpdir(), 'compliance-'));
    storage = await openStorage(
      {
        s3: undefined,
        databaseUrl: undefined,
        dataDir: folder,
        evidenceMaxBytes: MAX_FILE_BYTES,
        evidenceQuotaBytes: 1024 * MAX_FILE_BYTES,
      },
      database,
      createLog('silent'),
    );
    server = await startApp({ services: { ...services, storage, appUrl: () => origin } });
    origin = server.url.replace('127.0.0.1', 'localhost');
  });
  afterEach(async () => {
    // Handlers of requests that are still in progress end with their page.
    const pages = contexts.flatMap((context) => context.pages());
    await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    const found = problems;
    problems = [];
    expect(found).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    storage.stop();
    await rm(folder, { recursive: true, force: true });
  });
}

/** Stores of the server under test. */
export const applicationStorage = (): OpenedStorage => storage;

/** Origin of the server under test. */
export const applicationOrigin = (): string => origin;

/** Opens a window of somebody who is not signed in. */
export const openWindow = async (path: string, view?: View): Promise<Page> => openPage(await newContext(view), path);

/** Opens a window of a member, for example at `/tasks?framework=1`. */
export async function openAs({ token }: Pick<TestMember, 'token'>, path: string, view?: View): Promise<Page> {
  const context = await newContext(view);
  await context.addCookies([{ name: `session-${new URL(origin).port}`, value: token, url: origin }]);
  return openPage(context, path);
}

async function openPage(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(origin + path);
  return page;
}

/** Opens a window of a new member of a new company; by default an admin. */
export async function openAsMember(path: string, member?: Parameters<typeof createMember>[1], view?: View) {
  const company = await createCompany();
  const ann = await createMember(company, member);
  return { company, ann, page: await openAs(ann, path, view) };
}

/** Problems that a test expects, for example the console line of a 412. Call it before they happen. */
export function expectConsole(pattern: RegExp): void {
  expected.push(pattern);
}
const expected: RegExp[] = [];

async function newContext({ colorScheme = 'light', width = 1280 }: View = {}): Promise<BrowserContext> {
  expected.length = 0;
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(TIMEOUT);
  contexts.push(context);
  const add = (problem: string) => {
    if (!expected.some((pattern) => pattern.test(problem))) problems.push(problem);
  };
  context.on('console', (message) => {
    const type: string = message.type();
    // Verbose hints of the browser, which consoles hide.
    if (type !== 'verbose') add(`console ${type}: ${message.text()} ${message.location().url}`);
  });
  context.on('weberror', (error) => add(`page: ${error.error().message}`));
  context.on('request', (request) => {
    const { protocol, origin: target } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && target !== origin) add(`request to ${request.url()}`);
  });
  return context;
}

interface AxeResults {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** The part of the page's `window` that the check uses. */
interface AxeWindow {
  axe: { run: (root: unknown, options: { runOnly: string[] }) => Promise<AxeResults> };
  document: unknown;
}

/** Returns the violations of WCAG 2.2 AA of the page, with their elements. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // Colours in the middle of a transition have no meaning.
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate((tags) => {
    const { axe, document } = globalThis as unknown as AxeWindow;
    return axe.run(document, { runOnly: tags });
  }, WCAG_TAGS);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Checks that a page is accessible, and keeps a picture of it if it has a name. */
export async function expectAccessible(page: Page, picture?: string): Promise<void> {
  expect(await accessibilityViolations(page)).toEqual([]);
  if (picture !== undefined) await keepScreenshot(page, picture);
}

/** Chooses an option of a combobox. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByLabel(label).and(page.getByRole('combobox')).click();
  await page.getByRole('option', { name: option }).click();
}

/** Keeps a picture of the page in `test-results/app/`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, SCREENSHOTS)), fullPage: true });
}

const VIEWS = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: 'narrow', colorScheme: 'light', width: 375 },
  { name: 'narrow-dark', colorScheme: 'dark', width: 375 },
] as const;

/** Checks that a page is accessible and as wide as the window, in light and dark, wide and narrow. Keeps a picture of each. */
export async function expectGoodViews(page: Page, picture: string): Promise<void> {
  for (const { name, colorScheme, width } of VIEWS) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(() => page.locator('[aria-busy="true"], .mantine-Skeleton-root').count(), POLL_OPTIONS).toBe(0);
    expect({ view: name, violations: await accessibilityViolations(page) }).toEqual({ view: name, violations: [] });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await keepScreenshot(page, `${picture}-${name}`);
  }
  const [{ colorScheme, width }] = VIEWS;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
}

const POLL_OPTIONS = { timeout: TIMEOUT };
