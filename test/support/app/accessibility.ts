import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

// Checks pages against WCAG 2.2 AA.

const axeSource = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const ALL_RULES = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
/** The rules of these tags that depend on colours. The dark scheme changes nothing else. */
const COLOUR_RULES = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** Menus, lists of options and tooltips are in a landmark too. */
const LANDMARK_RULES = { type: 'rule', values: ['region'] };

/** In an order in which each differs from the one before by the scheme or by the width. */
const VIEWS = [
  { name: 'light', colorScheme: 'light', width: 1280, rules: ALL_RULES },
  { name: 'dark', colorScheme: 'dark', width: 1280, rules: COLOUR_RULES },
  { name: 'narrow and dark', colorScheme: 'dark', width: 375, rules: COLOUR_RULES },
  { name: 'narrow', colorScheme: 'light', width: 375, rules: ALL_RULES },
] as const;

/** Runs in a page until it has loaded its parts, and two frames in turn have the same layout without a transition. */
const SETTLE = `(async () => {
  const end = performance.now() + 60_000;
  const frame = () => new Promise(requestAnimationFrame);
  const isMoving = ({ effect, playState }) =>
    playState === 'running' && effect.getComputedTiming().iterations !== Infinity;
  const layout = () => [...document.querySelectorAll('body *')].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x, y, width, height].join();
  }).join(';');
  for (let before = ''; performance.now() < end; ) {
    await frame();
    const now = layout();
    const isBusy = document.querySelector('[aria-busy="true"], .mantine-Skeleton-root') !== null;
    if (!isBusy && now === before && !document.getAnimations().some(isMoving)) return;
    before = now;
  }
  throw new Error('the page is loading or moves');
})()`;

/** Waits until a page has loaded its parts and is at rest. */
const settle = (page: Page): Promise<void> => page.evaluate(SETTLE);

interface AxeResults {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
}

interface AxeOptions {
  runOnly: typeof ALL_RULES;
  resultTypes: string[];
}

/** The part of the page's `window` that the check uses. */
interface AxeWindow {
  axe: { run: (root: unknown, options: AxeOptions) => Promise<AxeResults> };
  document: unknown;
}

/** Checks that a page is accessible. */
export async function expectAccessible(page: Page, view = '', rules = ALL_RULES): Promise<void> {
  await settle(page);
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(
    (options) => {
      const { axe, document } = globalThis as unknown as AxeWindow;
      return axe.run(document, options);
    },
    { runOnly: rules, resultTypes: ['violations'] },
  );
  if (violations.length === 0) return;
  // A line for each element, because a comparison of lists shows only the beginning of long texts.
  const lines = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary.replaceAll(/\s+/g, ' ')}`),
  );
  throw new Error([`${page.url()} ${view} has violations:`, ...lines].join('\n'));
}

/** Checks that everything on a page is within a landmark. */
export const expectLandmarks = (page: Page): Promise<void> => expectAccessible(page, '', LANDMARK_RULES);

/** Checks that a page is accessible and as wide as the window, in light and dark, wide and narrow. */
export async function expectGoodViews(page: Page): Promise<void> {
  for (const { name, colorScheme, width, rules } of VIEWS) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
    await page.setViewportSize({ width, height: 800 });
    await expectAccessible(page, name, rules);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
