import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const root = join(import.meta.dirname, '../../..');
const FAILURES = join(root, 'test-results/app');
/** Milliseconds. Long enough for a busy machine. */
const TIMEOUT = 60_000;

export interface View {
  colorScheme?: 'light' | 'dark';
  /** Pixels. */
  width?: number;
  /** Opens the window in a browser context of its own, with an empty cache. A test may move its clock and use its CDP session. */
  isAlone?: boolean;
}

/** A browser context that one test after the other uses, each with the cookies of its own person. */
interface Slot {
  context: BrowserContext;
  page: Page;
}

/**
 * Windows of a test. Chromium compiles the application for each process, and needs seconds for a new process and its caches. So the
 * tests of a worker share windows: the first that each test opens is the same, and the second that each test opens is another one,
 * with other cookies. After a test they are empty, with empty storage.
 */
export class Windows {
  #slots: Slot[] = [];
  /** Contexts of the running test. */
  #used: BrowserContext[] = [];
  /** The number of slots that the running test uses. */
  #sharedCount = 0;
  /** Lines of the console, errors of pages and requests to other servers. */
  #lines: string[] = [];
  #problems: string[] = [];
  #expected: RegExp[] = [];
  readonly #browser: Browser;
  readonly #origin: string;

  constructor(browser: Browser, origin: string) {
    this.#browser = browser;
    this.#origin = origin;
  }

  /** Opens a window with this cookie. */
  async open(path: string, { colorScheme = 'light', width = 1280, isAlone = false }: View, cookie?: Cookie) {
    const { context, page } = isAlone ? await this.#createSlot() : await this.#sharedSlot();
    this.#used.push(context);
    if (cookie !== undefined) await context.addCookies([{ ...cookie, url: this.#origin }]);
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, media: null });
    await page.goto(this.#origin + path);
    return page;
  }

  /** Problems that a test expects. */
  expect(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Keeps a picture of each page, and what happened in it. Returns the path of the first file. */
  async keep(name: string): Promise<string> {
    await mkdir(FAILURES, { recursive: true });
    const path = join(FAILURES, name.replaceAll(/[^\w-]+/g, '-').slice(0, 150));
    const pages = this.#pages();
    await writeFile(`${path}.txt`, [...pages.map((page) => page.url()), ...this.#lines, ''].join('\n'));
    for (const [index, page] of pages.entries()) {
      const file = `${path}${index === 0 ? '' : `-${index + 1}`}.png`;
      await page.screenshot({ path: file, fullPage: true, timeout: 10_000 }).catch((error: unknown) => String(error));
    }
    return relative(root, `${path}.png`);
  }

  /**
   * Closes the windows of a test, and removes what they stored. Returns the problems.
   * @param isReusable false after a failure, in which pages may be in any state
   */
  async reset(isReusable: boolean): Promise<string[]> {
    const shared = this.#slots.slice(0, this.#sharedCount);
    const closed = new Set(this.#used);
    try {
      // Handlers of requests that are still in progress end with their page.
      await Promise.all(this.#pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
      for (const slot of shared)
        if (isReusable && !slot.page.isClosed() && slot.page.url().startsWith(this.#origin)) {
          await clear(slot);
          closed.delete(slot.context);
        }
      return this.#problems;
    } finally {
      await Promise.all([...closed].map((context) => context.close()));
      this.#slots = this.#slots.filter(({ context }) => !closed.has(context));
      this.#used = [];
      this.#sharedCount = 0;
      this.#lines = [];
      this.#problems = [];
      this.#expected = [];
    }
  }

  #pages(): Page[] {
    return this.#used.flatMap((context) => context.pages());
  }

  /** The slot of the next window of a test. */
  async #sharedSlot(): Promise<Slot> {
    const slot = this.#slots[this.#sharedCount] ?? (await this.#createSlot());
    this.#slots[this.#sharedCount] = slot;
    this.#sharedCount += 1;
    return slot;
  }

  async #createSlot(): Promise<Slot> {
    const context = await this.#createContext();
    return { context, page: await context.newPage() };
  }

  async #createContext(): Promise<BrowserContext> {
    const context = await this.#browser.newContext({ reducedMotion: 'reduce', ignoreHTTPSErrors: true });
    context.setDefaultTimeout(TIMEOUT);
    const add = (problem: string) => {
      this.#lines.push(problem);
      if (!this.#expected.some((pattern) => pattern.test(problem))) this.#problems.push(problem);
    };
    context.on('console', (message) => {
      const type: string = message.type();
      // Verbose hints of the browser, which consoles hide.
      if (type !== 'verbose') add(`console ${type}: ${message.text()} ${message.location().url}`);
    });
    context.on('weberror', (error) => add(`page: ${error.error().message}`));
    context.on('request', (request) => {
      const { protocol, origin: target } = new URL(request.url());
      if (!['data:', 'blob:'].includes(protocol) && target !== this.#origin) add(`request to ${request.url()}`);
    });
    return context;
  }
}

interface Cookie {
  name: string;
  value: string;
}

/** Empties a window, as a person who leaves its page. The process of its pages stays. */
async function clear({ context, page }: Slot): Promise<void> {
  const others = context.pages().filter((other) => other !== page);
  await Promise.all(others.map((other) => other.close()));
  page.removeAllListeners('dialog');
  // A page with unsaved text asks.
  page.on('dialog', (dialog) => void dialog.accept());
  await Promise.all([page.waitForURL('about:blank'), page.evaluate(`location.replace('about:blank')`)]);
  page.removeAllListeners('dialog');
  await Promise.all([page.mouse.move(0, 0), page.evaluate('localStorage.clear(), sessionStorage.clear()')]);
  await context.clearCookies();
}
