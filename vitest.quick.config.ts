import { globSync } from 'node:fs';
import { defineConfig, mergeConfig } from 'vitest/config';
import { slowChain } from './test/support/setup/slow-tests.ts';
import base from './vitest.config.ts';

/** `npm run test:quick`: the tests that need only this process and its embedded database. */
export default mergeConfig(
  base,
  defineConfig({ test: { exclude: globSync('test/**/*.test.ts').filter((file) => slowChain(file) !== undefined) } }),
);
