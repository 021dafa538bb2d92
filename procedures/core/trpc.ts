import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { MemberScope } from '../../entities/member/role.ts';
import type { Principal } from '../../entities/principal.ts';
import type { Operation, ResourceAccess } from '../../entities/schema/access.ts';
import type { Caller, Context, WebSession } from './context.ts';
import { authorized } from './declaration/builder.ts';
import type { Authorize } from './declaration/compile.ts';
import { requireFramework, requireScopes, scopesOf } from './permissions.ts';
import type { Permission } from './permissions.ts';

export { createCallerFactory, router } from './declaration/builder.ts';

interface CompanyContext {
  session: Session;
}
interface MemberContext extends CompanyContext {
  webSession: WebSession;
}

const CALLER_NAMES: Readonly<Record<Caller, string>> = {
  apiKey: 'an API key',
  member: 'a signed-in member',
  operator: 'the operator token',
};

/** @throws ApiError `forbidden` for a caller of another type */
function requireCaller({ caller }: Pick<Context, 'caller'>, callers: readonly Caller[]): void {
  if (callers.includes(caller)) return;
  const expected = callers.map((name) => CALLER_NAMES[name]).join(' or ');
  throw new ApiError('forbidden', `This procedure requires ${expected}.`);
}

/**
 * Declares the callers that a procedure admits, and the scopes that they need. It checks them before the input is validated, on every
 * transport. The operator has every scope of its company.
 * @param check throws an error for further callers that the procedure rejects
 * @typeParam AuthorizedContext context type after the authorization
 */
function admit<AuthorizedContext extends object>(
  callers: readonly Caller[],
  scopes: readonly MemberScope[],
  check: (ctx: Context) => void = () => {},
) {
  const authorize: Authorize = (ctx, getRawInput) => {
    requireCaller(ctx, callers);
    check(ctx);
    const { session, address, framework } = ctx;
    if (!session.hasPrincipal()) throw new ApiError('invalid_request', 'X-Company-Id: required');
    const { principal } = session;
    requireScopes(principal, scopes, address);
    if (principal.frameworks === null) return undefined;
    if (framework !== undefined) return requireFramework(principal, framework);
    return requireNamedFramework(principal, getRawInput);
  };
  return authorized<AuthorizedContext>(authorize, { callers, scopes });
}

/** Procedure for integrations and members. */
export const companyProcedure = (...permission: Permission) =>
  admit<CompanyContext>(['apiKey', 'member'], scopesOf(permission));

/** Procedure for integrations and members, with the scopes of an operation on a resource. */
export const resourceProcedure = ({ access }: { access: ResourceAccess }, operation: Operation) =>
  admit<CompanyContext>(['apiKey', 'member'], access.scopes[operation]);

/** Procedure for integrations only. */
export const apiKeyProcedure = admit<CompanyContext>(['apiKey'], []);

/** Procedure for members and the operator, in one company. */
export const managementProcedure = (...permission: Permission) =>
  admit<CompanyContext>(['member', 'operator'], scopesOf(permission));

/** Procedure for what belongs to a member of any role: the own account, the own views. */
export const accountProcedure = admit<MemberContext>(['member'], []);

/**
 * Procedure for the ways in which a member signs in. A session of single sign-on cannot change them: the identity provider
 * of one company would otherwise reach the other companies of the person.
 */
export const credentialProcedure = admit<MemberContext>(['member'], [], ({ webSession }) => {
  if (webSession?.singleSignOn === true)
    throw new ApiError('forbidden', 'Single sign-on: sign in with your password to change how you sign in.');
});

/** Procedure for the operator in one company. */
export const operatorCompanyProcedure = admit<CompanyContext>(['operator'], []);

/** Procedure for the operator that needs no company. */
export const operatorProcedure = authorized<object>(requireOperator, { callers: ['operator'] });

/** Checks the framework in a tRPC input that is not validated yet. */
async function requireNamedFramework(principal: Principal, getRawInput: () => Promise<unknown>): Promise<void> {
  const input = await getRawInput();
  const framework: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'framework') : undefined;
  if (typeof framework === 'number') requireFramework(principal, framework);
}

/** @throws ApiError `forbidden` for an API key or a member */
export function requireOperator(ctx: Pick<Context, 'caller'>): void {
  requireCaller(ctx, ['operator']);
}
