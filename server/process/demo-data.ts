import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';
import type { Context } from '../../procedures/core/context.ts';

const REQUEST_ID = 'first-start';
const COMPANY_NAME = 'Demo';

/**
 * Creates the company `Demo` with a framework, a department, a gap and an API key in an empty database.
 * @returns the raw key, which is shown only here, and the framework; undefined if the database has other data
 */
export async function createDemoData(database: Database): Promise<{ key: string; framework: number } | undefined> {
  const callerFor = (session: Context['session']) =>
    createCaller({ requestId: REQUEST_ID, address: null, caller: 'operator', session }).management;
  const operator = callerFor(new Session(database, null, REQUEST_ID));
  const [first, ...others] = await operator.company.list();
  if (others.length > 0 || (first !== undefined && first.name !== COMPANY_NAME)) return undefined;
  const { id: company } = first ?? (await operator.company.create({ name: COMPANY_NAME }));
  const admin = callerFor(new Session(database, operatorPrincipal(company), REQUEST_ID));
  // An interrupted first start is completed: the key is created last, so without a key the other records may be missing.
  if ((await admin.apiKey.list()).length > 0) return undefined;
  const framework = (await admin.framework.list())[0] ?? (await admin.framework.create({ name: 'ISO 27001' }));
  if ((await admin.department.list()).length === 0) await admin.department.create({ name: 'Security' });
  if ((await admin.gap.list()).length === 0)
    await admin.gap.create({ framework: framework.id, title: 'No access review' });
  const { key } = await admin.apiKey.create({ name: 'Demo integration' });
  return { key, framework: framework.id };
}
