import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Slices } from '../../procedures/core/slices.ts';

test('pieces of work run in turn by company, and others run after each of them', async () => {
  const slices = new Slices(0);
  const ran: string[] = [];
  const piece = (company: number, name: string) => slices.run(company, () => void ran.push(name));
  const pieces = [piece(1, 'a1'), piece(1, 'a2'), piece(1, 'a3'), piece(2, 'b1')];
  const state = { isDone: false };
  const other = (async () => {
    while (!state.isDone) {
      ran.push('other');
      await nextIteration();
    }
  })();
  await Promise.all(pieces);
  state.isDone = true;
  await other;
  expect(ran.filter((name) => name !== 'other')).toEqual(['a1', 'b1', 'a2', 'a3']);
  for (const name of ['a1', 'b1', 'a2']) expect(ran[ran.indexOf(name) + 1]).toBe('other');
});

test('pieces that take little time share an iteration', async () => {
  const slices = new Slices(60_000);
  const ran: string[] = [];
  const pieces = ['a1', 'a2', 'a3'].map((name) => slices.run(1, () => void ran.push(name)));
  setImmediate(() => ran.push('other'));
  await Promise.all(pieces);
  await nextIteration();
  expect(ran).toEqual(['a1', 'a2', 'a3', 'other']);
});

test('a piece that fails rejects only its own call', async () => {
  const slices = new Slices(0);
  const results = await Promise.allSettled([
    slices.run(1, () => {
      throw new Error('expected');
    }),
    slices.run(1, () => 1),
  ]);
  expect(results).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 1 }]);
});
