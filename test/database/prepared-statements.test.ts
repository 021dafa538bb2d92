import { expect, test } from 'vitest';
import { asOwner } from '../support/database/database.ts';
import { exportedStatements } from '../support/database/statements.ts';

test('the database prepares every statement, so a column that is renamed is found in each of them', async () => {
  const statements = await exportedStatements();
  expect(statements.size).toBeGreaterThan(100);
  await asOwner(async (run) => {
    for (const [name, [text = '']] of statements) {
      await run(`prepare checked as ${text}`).catch((error: unknown) => {
        throw new Error(`${name}: ${String(error)}`, { cause: error });
      });
      await run('deallocate checked');
    }
  });
});
