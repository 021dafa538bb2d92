import type { Database } from '../entities/database/database.ts';
import { Session } from '../entities/database/session.ts';
import { operatorOf } from '../entities/principal.ts';
import { createCaller } from '../procedures/index.ts';
import type { Context } from '../procedures/trpc.ts';

const REQUEST_ID = 'first-start';
const NAME = 'Demo';

/**
 * Gives an empty database the company `Demo` with a framework, a department, a gap and a key.
 * @returns the raw key, which nothing shows again, and the framework; undefined when there was a company already
 */
export async function createDemo(database: Database): Promise<{ key: string; framework: number } | undefined> {
  const as = (session: Context['session']) =>
    createCaller({ requestId: REQUEST_ID, address: null, caller: 'operator', session }).management;
  const operator = as(new Session(database, null, REQUEST_ID));
  const [first, ...others] = await operator.company.list();
  if (others.length > 0 || (first !== undefined && first.name !== NAME)) return undefined;
  const { id: company } = first ?? (await operator.company.create({ name: NAME }));
  const admin = as(new Session(database, operatorOf(company), REQUEST_ID));
  // A first start that was cut short is taken up where it ended: the key comes last.
  if ((await admin.apiKey.list()).length > 0) return undefined;
  const framework = (await admin.framework.list())[0] ?? (await admin.framework.create({ name: 'ISO 27001' }));
  if ((await admin.department.list()).length === 0) await admin.department.create({ name: 'Security' });
  if ((await admin.gap.list()).length === 0)
    await admin.gap.create({ framework: framework.id, title: 'No access review' });
  const { key } = await admin.apiKey.create({ name: 'Demo integration' });
  return { key, framework: framework.id };
}
