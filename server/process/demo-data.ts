import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';
import type { Context } from '../../procedures/core/trpc.ts';

const REQUEST_ID = 'first-start';
const COMPANY_NAME = 'Demo';

/**
 * Gives an empty database the company `Demo` with a framework, a department, a gap and a key.
 * @returns the raw key, which nothing shows again, and the framework; undefined when there was a company already
 */
export async function createDemoData(database: Database): Promise<{ key: string; framework: number } | undefined> {
  const callerFor = (session: Context['session']) =>
    createCaller({ requestId: REQUEST_ID, address: null, caller: 'operator', session }).management;
  const operator = callerFor(new Session(database, null, REQUEST_ID));
  const [first, ...others] = await operator.company.list();
  if (others.length > 0 || (first !== undefined && first.name !== COMPANY_NAME)) return undefined;
  const { id: company } = first ?? (await operator.company.create({ name: COMPANY_NAME }));
  const admin = callerFor(new Session(database, operatorPrincipal(company), REQUEST_ID));
  // A first start that was cut short is taken up where it ended: the key comes last.
  if ((await admin.apiKey.list()).length > 0) return undefined;
  const framework = (await admin.framework.list())[0] ?? (await admin.framework.create({ name: 'ISO 27001' }));
  if ((await admin.department.list()).length === 0) await admin.department.create({ name: 'Security' });
  if ((await admin.gap.list()).length === 0)
    await admin.gap.create({ framework: framework.id, title: 'No access review' });
  const { key } = await admin.apiKey.create({ name: 'Demo integration' });
  return { key, framework: framework.id };
}
