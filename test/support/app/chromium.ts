import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const CHROMIUM_PATH = '/usr/bin/chromium';

/** True on a machine without Chromium, which skips the tests in a browser. CI has Chromium and must run them. */
export const isWithoutChromium = !existsSync(CHROMIUM_PATH) && process.env['CI'] !== 'true';

/** Playwright adds the options that turn off what Chromium itself animates and loads in the background. @param args further arguments */
export const launchChromium = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM_PATH, args: ['--no-sandbox', '--disable-gpu', ...args] });
