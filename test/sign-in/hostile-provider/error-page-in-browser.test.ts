import { expect, test } from 'vitest';
import { expectAccessible } from '../../support/app/accessibility.ts';
import { describeInBrowser, expectConsole, openWindow } from '../../support/app/application.ts';

describeInBrowser('the page of an error', () => {
  test.each([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 375 },
    { colorScheme: 'light', width: 375 },
  ] as const)('is accessible and leads to the sign-in page: $colorScheme, $width pixels', async (view) => {
    const page = await openWindow('/sign-in', view);
    expectConsole(/status of 422/);
    await page.goto(new URL('/session/sso?email=bob@unknown.example', page.url()).href);
    await page.getByText('Email: this domain has no single sign-on.').waitFor();
    await expectAccessible(page);
    const scheme = await page.evaluate('getComputedStyle(document.documentElement).colorScheme');
    expect(scheme).toBe('light dark');
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
