import { randomUUID } from 'node:crypto';
import { Session } from '../../../database/session.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import type { Principal } from '../../../entities/principal.ts';
import type { Context } from '../../../procedures/core/context.ts';
import { toApiError } from '../../../procedures/core/errors.ts';
import { createCaller } from '../../../procedures/index.ts';
import { createAuthentication } from '../../../server/auth/authenticate.ts';
import { database, sql } from '../database/database.ts';
import { OPERATOR_TOKEN } from '../http/client.ts';

export { OPERATOR_TOKEN };
const authenticate = createAuthentication(database, OPERATOR_TOKEN);

/** A stored audit event. */
interface AuditEventRow {
  action: string;
  resource_type: string;
  resource_id: string;
  changes: Record<string, unknown>;
  user_id: string;
  api_key_id: string | null;
  request_id: string;
}

const operatorContext = (principal: Principal | null, requestId = randomUUID()): Context => ({
  requestId,
  caller: 'operator',
  address: null,
  session: new Session(database, principal, requestId),
});

/** Caller of the operator, without a company. */
export const operator = createCaller(operatorContext(null)).management;

/** Caller of the operator in a company. */
export const operatorCaller = ({ id }: { id: number }) => createCaller(operatorContext(operatorPrincipal(id)));

/** Authenticates a raw key without HTTP, and creates a caller without a deadline. */
export async function callerForKey(rawKey: string, requestId: string = randomUUID()) {
  const { context } = await authenticate.apiKey({ headers: { 'x-api-key': rawKey }, address: '127.0.0.1', requestId });
  return createCaller({ ...context, session: context.session.withoutDeadline() });
}

/** Creates a caller with the context of a key that has only these permissions. */
export const callerWithPermissions = (
  { id, apiKey }: Pick<TestCompany, 'id' | 'apiKey'>,
  permissions: Partial<Pick<Principal, 'scopes' | 'frameworks'>>,
) => {
  const principal = {
    ...operatorPrincipal(id),
    user: apiKey.user,
    key: apiKey.uniqueId,
    ...permissions,
  };
  const session = new Session(database, principal, 'limited');
  return createCaller({ requestId: 'limited', caller: 'apiKey', address: '127.0.0.1', session });
};

/** Repetitions of a creation that the database of a busy machine does not serve. It is the first work of most files. */
const MAX_REPEATS = 10;

/** Creates a company with a framework, a department, a gap and a key. Each test uses separate companies. */
export const createCompany = (name = 'Acme', maxRepeats = MAX_REPEATS): Promise<TestCompany> =>
  newCompany(name).catch((error: unknown) => {
    if (toApiError(error).code !== 'unavailable' || maxRepeats === 0) throw error;
    return createCompany(name, maxRepeats - 1);
  });

async function newCompany(name: string) {
  const { id } = await operator.company.create({ name });
  const manage = operatorCaller({ id }).management;
  const framework = await manage.framework.create({ name: 'ISO 27001' });
  const department = await manage.department.create({ name: 'Security' });
  const gap = await manage.gap.create({ framework: framework.id, title: 'No access review' });
  const { key, ...apiKey } = await manage.apiKey.create({ name: `Integration of ${name}` });
  const { task, vendor, audit } = await callerForKey(key);
  return {
    id,
    key,
    apiKey,
    manage,
    task,
    vendor,
    audit,
    framework: framework.id,
    department: department.id,
    gap: gap.id,
    /** Creates a task with default fields. */
    newTask: (fields: Partial<Parameters<typeof task.create>[0]> = {}) =>
      task.create({ framework: framework.id, title: 'Review access rights', ...fields }),
    /** Audit events of the company or of one resource, oldest first. */
    events: (resourceId?: string) =>
      sql<AuditEventRow>(
        `select action, resource_type, resource_id, changes, user_id, api_key_id, request_id from audit_event
         where company_id = $1 and ($2::text is null or resource_id = $2) order by id`,
        id,
        resourceId ?? null,
      ),
  };
}

export type TestCompany = Awaited<ReturnType<typeof newCompany>>;
