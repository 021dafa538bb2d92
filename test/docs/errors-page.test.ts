import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeOf } from '../../entities/api-error.ts';
import { ERRORS, REASONS } from '../../procedures/core/errors.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/errors.md'), 'utf8');

test('docs/errors.md has every status with its code, and no other', () => {
  const listed = [...page.matchAll(/^\| (\d{3}) +\| `(\w+)`/gm)].map(([, status, code]) => `${status} ${code}`);
  const possible = REASONS.map((reason) => `${ERRORS[reason].status} ${codeOf(reason)}`);
  // A transfer coding is refused before any procedure.
  expect(listed.toSorted()).toEqual([...possible, '501 invalid_request'].toSorted());
});
