import { test } from 'vitest';
import { launchChromium } from './chromium.ts';

/** A test that gets the Chromium of its worker. The first test that needs it starts it, and it ends with the worker. */
// oxlint-disable-next-line no-empty-pattern -- Vitest reads the names of the fixtures that a fixture needs
export const testInChromium = test.extend('chromium', { scope: 'worker' }, async ({}, { onCleanup }) => {
  const browser = await launchChromium();
  onCleanup(() => browser.close());
  return browser;
});
