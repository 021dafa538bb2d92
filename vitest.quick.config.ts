import { globSync, readFileSync } from 'node:fs';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Marks of tests that start processes, other servers or a browser, wait for time to pass, or fill large tables. */
const SLOW =
  /node:child_process|support\/servers\/|playwright-core|node:timers\/promises|fast-check|\/fuzz\/|wait=\d|wait: \d|ImportRunner|generate_series\(1, \d{5,}\)/;

/** `npm run test:quick`: the tests that need only this process and its embedded database. */
export default mergeConfig(
  base,
  defineConfig({
    test: { exclude: globSync('test/**/*.test.ts').filter((file) => SLOW.test(readFileSync(file, 'utf8'))) },
  }),
);
