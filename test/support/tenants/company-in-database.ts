import { Session } from '../../../database/session.ts';
import type { Database } from '../../../database/database.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { createCaller } from '../../../procedures/index.ts';

/** A company in another database than the worker's, with a framework and a key. */
export async function createCompanyIn(database: Database, name = 'Acme') {
  const asOperator = (session: Session<ReturnType<typeof operatorPrincipal> | null>) =>
    createCaller({ requestId: 'made', caller: 'operator', address: null, session }).management;
  const { id } = await asOperator(new Session(database, null, 'made')).company.create({ name });
  const manage = asOperator(new Session(database, operatorPrincipal(id), 'made'));
  const framework = await manage.framework.create({ name: 'ISO 27001' });
  const { key, uniqueId } = await manage.apiKey.create({ name: `Integration of ${name}` });
  return { id, key, keyId: uniqueId, framework: framework.id, manage };
}
