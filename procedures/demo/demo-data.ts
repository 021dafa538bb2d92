import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import type { Services } from '../core/services.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { hasApiKey } from '../../entities/api-key/statements.ts';
import { createCaller } from '../index.ts';
import type { Context } from '../core/context.ts';
import { insertKey } from '../management/api-key.ts';

const REQUEST_ID = 'first-start';
const COMPANY_NAME = 'Demo';
const ADMIN_EMAIL = 'admin@demo.example';
const KEY_NAME = 'Demo integration';

/** Demo data of the first start. Its secrets are shown only there. */
export interface DemoData {
  /** Raw API key; undefined if the operator has chosen it. */
  key: string | undefined;
  framework: number;
  /** Path of the link with which the admin sets a password; undefined if the company has a member. */
  invitationPath: string | undefined;
}

/**
 * Creates the company `Demo` with a framework, a department, a gap, the invitation of an admin and an API key in an empty
 * database.
 * @param apiKey raw key that the operator has chosen, with every scope; by default a random one with the scopes of a new key
 * @returns undefined if the database has other data
 */
export async function createDemoData(
  database: Database,
  given: Pick<Services, 'encryption' | 'requirePublicUrl'>,
  apiKey?: string,
): Promise<DemoData | undefined> {
  // The origin of links is unknown until the server listens, and nobody reads the mails of the admin.
  const services: Services = { ...given, appUrl: () => '', hasMail: false };
  const callerFor = (session: Context['session']) =>
    createCaller({ requestId: REQUEST_ID, address: null, caller: 'operator', session, services }).management;
  const operator = callerFor(new Session(database, null, REQUEST_ID));
  const [first, ...others] = await operator.company.list();
  if (others.length > 0) return undefined;
  const isDemo = first !== undefined && 'name' in first && first.name === COMPANY_NAME && first.closedAt === null;
  if (first !== undefined && !isDemo) return undefined;
  const { id: company } = first ?? (await operator.company.create({ name: COMPANY_NAME }));
  const principal = operatorPrincipal(company);
  const session = new Session(database, principal, REQUEST_ID);
  const admin = callerFor(session);
  // An interrupted first start is completed: the key is created last, so without a key the other records may be missing.
  // A statement, because the ORM would slow down every later start.
  if ((await session.one(hasApiKey, {})).exists) return undefined;
  const framework = (await admin.framework.list())[0] ?? (await admin.framework.create({ name: 'ISO 27001' }));
  if ((await admin.department.list()).length === 0) await admin.department.create({ name: 'Security' });
  if ((await admin.gap.list()).length === 0)
    await admin.gap.create({ framework: framework.id, title: 'No access review' });
  const hasMember = (await admin.member.list()).length > 0;
  const invitation = hasMember ? undefined : await admin.member.invite({ email: ADMIN_EMAIL, role: 'admin' });
  const invitationPath = invitation?.link ?? undefined;
  if (apiKey === undefined) {
    const { key } = await admin.apiKey.create({ name: KEY_NAME });
    return { key, framework: framework.id, invitationPath };
  }
  // A program that brings its own key, such as a test, needs no second one for the operations that a new key may not call.
  await session.inUnitOfWork((unit) =>
    unit.transactional(async (em) => {
      insertKey(em, principal, { name: KEY_NAME, scopes: [...SCOPES] }, apiKey);
      await em.flush();
    }),
  );
  return { key: undefined, framework: framework.id, invitationPath };
}

/** Lines that show the demo data to the operator. @param origins of the server, for integrations and for people */
export const demoMessage = (
  { key, framework, invitationPath }: DemoData,
  { url, appUrl }: Record<'url' | 'appUrl', string>,
) => [
  ...(key === undefined
    ? [`Created the company ${COMPANY_NAME}. Its API key is that of DEMO_API_KEY.`]
    : [`Created the company ${COMPANY_NAME}. Its API key is shown only this once:`, `  ${key}`]),
  ...(invitationPath === undefined
    ? []
    : [`Its admin, ${ADMIN_EMAIL}, sets the password here:`, `  ${appUrl}${invitationPath}`]),
  'Try it:',
  `  curl ${url}/external/task/framework/${framework}/new -H ${key === undefined ? '"X-API-Key: $DEMO_API_KEY"' : `'X-API-Key: ${key}'`} -H 'Content-Type: application/json' -d '{"title":"Review access rights"}'`,
];
