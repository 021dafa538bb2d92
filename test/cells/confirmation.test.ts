import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { confirmation } from '../../procedures/core/cell.ts';
import { completed, switched } from '../../procedures/management/move/schemas.ts';
import { cellAt } from '../support/cells/cell.ts';
import { database, databaseUrl } from '../support/database/database.ts';
import { http, url } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

const PEER = 'https://b.example.com';
const session = new Session(database, null, 'test');

/** Freezes a company that is being moved away. @returns the name of the move and the head of the log */
async function readyToSwitch(company: TestCompany) {
  const cell = cellAt(url, company);
  const { move } = Object(await cell.call('company.moveBegin', { id: company.id, peer: PEER })) as { move: string };
  await cell.call('company.freeze');
  const { head } = Object(await cell.call('company.moveReady', { id: company.id })) as {
    head: { sequence: number; hash: string };
  };
  return { cell, id: company.id, move, head };
}
type Switch = Awaited<ReturnType<typeof readyToSwitch>>;

const switchTo = ({ cell, id, move, head }: Switch, given: string) =>
  cell.call('company.moveSwitch', { id, move, head, appUrl: PEER, confirmation: given });

const statusOf = async ({ key }: TestCompany) => (await http('GET', '/external/api-key/whoami', { key })).status;

describe.runIf(databaseUrl !== undefined)('the switch of a move (PostgreSQL only)', () => {
  test('needs the confirmation of the other cell for this move and this head', async () => {
    const company = await createCompany();
    const ready = await readyToSwitch(company);
    const { id, move, head } = ready;
    const others = [
      'forged',
      await confirmation(session, switched({ id, move, head })),
      await confirmation(session, completed({ id: id + 1, move, head })),
      await confirmation(session, completed({ id, move: '0199c0de-7000-7000-8000-000000000001', head })),
      await confirmation(session, completed({ id, move, head: { ...head, sequence: head.sequence - 1 } })),
    ];
    for (const other of others)
      await expect(switchTo(ready, other)).rejects.toThrow('confirmation: expected that of the other cell');
    expect(await statusOf(company)).toBe(200);
    await switchTo(ready, await confirmation(session, completed({ id, move, head })));
    expect(await statusOf(company)).toBe(421);
  });

  test('needs the company to be frozen since the other cell confirmed it', async () => {
    const company = await createCompany();
    const ready = await readyToSwitch(company);
    const { id, move, head, cell } = ready;
    const confirmed = await confirmation(session, completed({ id, move, head }));
    await expect(cell.call('company.unfreeze')).rejects.toThrow(`company: ${id} is being moved`);
    await cell.call('company.moveAbort', { id });
    await cell.call('company.unfreeze');
    await company.vendor.create({ name: 'Written meanwhile' });
    const later = await readyToSwitch(company);
    expect(later.move).not.toBe(move);
    expect(later.head.sequence).toBeGreaterThan(head.sequence);
    await expect(switchTo(ready, confirmed)).rejects.toThrow(`company: ${id}`);
    const ofOldHead = { ...later, head };
    const forOldHead = await confirmation(session, completed(ofOldHead));
    await expect(switchTo(ofOldHead, forOldHead)).rejects.toThrow(`company: ${id}`);
    expect(await statusOf(company)).toBe(200);
    await switchTo(later, await confirmation(session, completed(later)));
    expect(await statusOf(company)).toBe(421);
  });

  test('is not repeated after the move was given up', async () => {
    const company = await createCompany();
    const ready = await readyToSwitch(company);
    const { id, move, head, cell } = ready;
    await cell.call('company.moveAbort', { id });
    await expect(switchTo(ready, await confirmation(session, completed({ id, move, head })))).rejects.toThrow(
      `company: ${id}`,
    );
    await cell.call('company.unfreeze');
    expect(await company.vendor.create({ name: 'Writable again' })).toMatchObject({ name: 'Writable again' });
  });

  test('does not serve a company in the new cell without the confirmation of the old one', async () => {
    const company = await createCompany();
    const { cell, id, move, head } = await readyToSwitch(company);
    for (const given of ['forged', await confirmation(session, completed({ id, move, head }))])
      await expect(cell.call('company.arrivalEnd', { id, move, head, confirmation: given })).rejects.toThrow(
        'confirmation: expected that of the other cell',
      );
  });
});
