import { Session } from '../../entities/database/session.ts';
import type { Database } from '../../entities/database/database.ts';
import { operatorOf } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';

/** A company in another database than the worker's, with a framework and a key. */
export async function companyOn(database: Database, name = 'Acme') {
  const asOperator = (session: Session<ReturnType<typeof operatorOf> | null>) =>
    createCaller({ requestId: 'made', caller: 'operator', address: null, session }).management;
  const { id } = await asOperator(new Session(database, null, 'made')).company.create({ name });
  const manage = asOperator(new Session(database, operatorOf(id), 'made'));
  const framework = await manage.framework.create({ name: 'ISO 27001' });
  const { key, uniqueId } = await manage.apiKey.create({ name: `Integration of ${name}` });
  return { id, key, keyId: uniqueId, framework: framework.id, manage };
}
