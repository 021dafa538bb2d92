import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import type { Services } from '../../procedures/core/services.ts';
import { createCaller } from '../../procedures/index.ts';
import { Encryption } from '../../procedures/core/encryption.ts';
import { createSigning } from '../../procedures/core/signing.ts';
import { asOwner, database, databaseUrl, sql } from '../support/database/database.ts';
import { serverStorage } from '../support/http/server.ts';
import { createCompany, operator } from '../support/tenants/company.ts';
import { services } from '../support/tenants/member.ts';

/** An id that no company of this cell has. */
const FREE_ID = 2_000_000_000;

/** The operator's procedures of a cell on the same database with other settings. */
const cellWith = (others: Partial<Services>) => {
  const session = new Session(database, null, 'test');
  const context = { requestId: 'test', caller: 'operator', address: null, session } as const;
  return createCaller({ ...context, services: { ...services, ...others } }).management.company;
};

/** The offer of another cell, for a company that this one could take. */
async function offerOf({ id }: { id: number }) {
  const offer = await cellWith({}).moveOffer({ id, sequence: null });
  return { ...offer, cell: 'another cell' };
}

describe.runIf(databaseUrl !== undefined)('a cell that is to take a company (PostgreSQL only)', () => {
  test('accepts one with the same secrets and version, and changes nothing', async () => {
    const offer = await offerOf(await createCompany());
    expect(offer.keys).toMatchObject({ encryption: [expect.any(String)], signing: expect.any(String) });
    await cellWith({}).arrivalCheck({ id: FREE_ID, offer });
    expect(await sql('select 1 from company where id = $1', FREE_ID)).toEqual([]);
    expect(await sql('select 1 from company_move where id = $1', FREE_ID)).toEqual([]);
  });

  test('accepts one that was encrypted with its previous key', async () => {
    const previous = randomBytes(32);
    const company = await createCompany();
    const { keys, ...offer } = await offerOf(company);
    const [before] = new Encryption([previous]).keyIds;
    const cell = cellWith({ encryption: new Encryption([randomBytes(32), previous]) });
    const offered = { ...offer, keys: { ...keys, encryption: [String(before)] } };
    expect(await cell.arrivalCheck({ id: FREE_ID, offer: offered })).toBeUndefined();
  });

  test.each<[string, Partial<Services>, RegExp]>([
    ['ENCRYPTION_KEY', { encryption: new Encryption([randomBytes(32)]) }, /^ENCRYPTION_KEY: differs/],
    [
      'SIGNING_KEY',
      { signing: { current: createSigning(generateKeyPairSync('ed25519').privateKey) } },
      /^SIGNING_KEY: differs/,
    ],
    ['too little room', { databaseMaxBytes: 1000 }, /^DATABASE_MAX_BYTES: \d+ bytes are missing/],
  ])('rejects it with another setting: %s', async (_, others, message) => {
    const offer = await offerOf(await createCompany());
    await expect(cellWith(others).arrivalCheck({ id: FREE_ID, offer })).rejects.toThrow(message);
  });

  test('rejects it for a key that it lacks, and takes it if the company needs none', async () => {
    const offer = await offerOf(await createCompany());
    const withoutKeys = { ...offer, keys: { ...offer.keys, encryption: [] } };
    const cell = cellWith({ encryption: undefined });
    await expect(cell.arrivalCheck({ id: FREE_ID, offer })).rejects.toThrow(/^ENCRYPTION_KEY: differs/);
    await cell.arrivalCheck({ id: FREE_ID, offer: withoutKeys });
  });

  test('rejects it if both cells keep files in the same bucket and prefix, which an abort would empty', async () => {
    const bucket = (place: string) => ({ storage: { ...serverStorage, endpoint: 'https://s3.example', place } });
    const { id } = await createCompany();
    const own = await cellWith(bucket('files/a/')).moveOffer({ id, sequence: null });
    const offer = { ...own, cell: 'another cell' };
    const check = (place: string) => cellWith(bucket(place)).arrivalCheck({ id: FREE_ID, offer });
    await expect(check('files/a/')).rejects.toThrow(/^STORAGE_URL: is the same in both cells/);
    await check('files/b/');
    await cellWith({}).arrivalCheck({ id: FREE_ID, offer });
  });

  test('rejects it with a confirmed domain of another company, whose name it does not tell', async () => {
    const { id } = await createCompany('Rival');
    const domain = `cells-${id}.example`;
    await asOwner((run) => run('insert into sso_domain (company_id, domain) values ($1, $2)', id, domain), {
      company: id,
    });
    const offer = { ...(await offerOf(await createCompany())), domains: ['free.example', domain] };
    await expect(cellWith({}).arrivalCheck({ id: FREE_ID, offer })).rejects.toThrow(
      `domain: ${domain} belongs to another company of that cell`,
    );
  });

  test('rejects an offer that is none, with the field', async () => {
    const offer = await offerOf(await createCompany());
    const wrong = { ...offer, bytes: 'many' } as never;
    await expect(cellWith({}).arrivalCheck({ id: FREE_ID, offer: wrong })).rejects.toThrow(/bytes/);
    expect((await operator.company.moves()).map(({ company }) => company)).not.toContain(FREE_ID);
  });
});
