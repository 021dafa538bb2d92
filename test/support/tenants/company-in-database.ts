import type { Database } from '../../../database/database.ts';
import { Session } from '../../../database/session.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { createCaller } from '../../../procedures/index.ts';

/** Creates a company with a framework and a key in another database than the test worker's. */
export async function createCompanyIn(database: Database, name = 'Acme') {
  const asOperator = (session: Session<ReturnType<typeof operatorPrincipal> | null>) =>
    createCaller({ requestId: 'setup', caller: 'operator', address: null, session }).management;
  const { id } = await asOperator(new Session(database, null, 'setup')).company.create({ name });
  const manage = asOperator(new Session(database, operatorPrincipal(id), 'setup'));
  const framework = await manage.framework.create({ name: 'ISO 27001' });
  const { key, uniqueId } = await manage.apiKey.create({ name: `Integration of ${name}` });
  return { id, key, keyId: uniqueId, framework: framework.id, manage };
}
