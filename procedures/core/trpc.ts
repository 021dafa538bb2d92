import type { Session } from '../../database/session.ts';
import { ApiError, misdirected } from '../../entities/api-error.ts';
import { FrozenError } from '../../entities/company/freezing.ts';
import type { MemberScope } from '../../entities/member/role.ts';
import type { Principal } from '../../entities/principal.ts';
import type { Operation, ResourceAccess } from '../../entities/schema/access.ts';
import type { Caller, Context, WebSession } from './context.ts';
import { authorized, authorizedChange } from './declaration/builder.ts';
import type { Authorize } from './declaration/compile.ts';
import type { Meta } from './declaration/meta.ts';
import { isRejectedWhileFrozen, requireDryRun } from './frozen.ts';
import { requireFramework, requireParentScopes, requireScopes, scopesOf } from './permissions.ts';
import type { Permission } from './permissions.ts';

export { createCallerFactory, mergeRouters, router } from './declaration/builder.ts';

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

interface AdmissionOptions {
  check?: (ctx: Context) => void;
  oneOf?: readonly MemberScope[];
  checkInput?: InputCheck;
  worksAfterMove?: true;
}

/**
 * Declares the callers that a procedure admits, and the scopes that they need. It checks them before the input is validated, on every
 * transport. The operator has every scope of its company. A mutation in a frozen company is rejected then.
 * @param check throws an error for further callers that the procedure rejects
 * @param oneOf alternative scopes: the principal needs any of them
 * @param checkInput throws an error for an input that the principal may not use; it is not validated yet
 * @param worksAfterMove set for what the operator still does with a company that was moved away
 * @typeParam AuthorizedContext context type after the authorization
 */
const admit = <AuthorizedContext extends object>(...admission: Admission) =>
  authorized<AuthorizedContext>(authorizeAdmitted(...admission), metaOf(...admission));

type Admission = [callers: readonly Caller[], scopes: readonly MemberScope[], options?: AdmissionOptions];

const metaOf = (...[callers, scopes, { oneOf } = {}]: Admission): Meta => ({
  callers,
  scopes,
  ...(oneOf && { mcp: { listedScopes: oneOf } }),
});

function authorizeAdmitted(
  ...[callers, scopes, { check, oneOf, checkInput, worksAfterMove } = {}]: Admission
): Authorize {
  return (ctx, getRawInput, called) => {
    requireCaller(ctx, callers);
    if (ctx.movedTo !== undefined && worksAfterMove !== true) throw misdirected(ctx.movedTo);
    check?.(ctx);
    const { session, address, framework } = ctx;
    if (!session.hasPrincipal()) throw new ApiError('invalid_request', 'X-Company-Id: required');
    const { principal } = session;
    const { operationScopes } = called;
    requireScopes(principal, operationScopes === undefined ? scopes : [...scopes, ...operationScopes], address);
    if (oneOf !== undefined && !oneOf.some((scope) => principal.scopes.includes(scope)))
      requireScopes(principal, oneOf, address);
    const isLimited = principal.frameworks !== null;
    if (isLimited && framework !== undefined) requireFramework(principal, framework);
    const isFrozen = isRejectedWhileFrozen(ctx, principal, called);
    if (isFrozen && ctx.isDryRun !== undefined) throw new FrozenError();
    const namesFramework = isLimited && framework === undefined;
    if (!namesFramework && checkInput === undefined && !isFrozen) return undefined;
    return checkRawInput(getRawInput, (input) => {
      if (isFrozen) requireDryRun(called, input);
      if (namesFramework) requireNamedFramework(principal, input);
      checkInput?.(principal, input);
    });
  };
}

/** Procedure for integrations and members. */
export const companyProcedure = (...permission: Permission) =>
  admit<CompanyContext>(['apiKey', 'member'], scopesOf(permission));

interface Accessed {
  access: ResourceAccess;
}

/**
 * Procedure for integrations and members, with the scopes of an operation on a resource. Of a resource with several parents, they
 * are those of the parent that the input names.
 */
export const resourceProcedure = ({ access }: Accessed, operation: 'read' | 'write') =>
  admit<CompanyContext>(...admissionTo(access, operation));

/**
 * Procedure that changes or deletes one object of a resource, if it has the entity tag that the request names. The operator deletes what
 * only its author, an admin or the operator may delete.
 */
export function changeProcedure({ access }: Accessed, operation: 'write' | 'delete') {
  const admission = admissionTo(access, operation);
  return authorizedChange<CompanyContext>(authorizeAdmitted(...admission), {
    ...metaOf(...admission),
    targetsItem: true,
  });
}

/** Procedure for members that changes one object, if it has the entity tag that the request names. */
export function memberChangeProcedure(...permission: Permission) {
  const admission: Admission = [['member'], scopesOf(permission)];
  return authorizedChange<CompanyContext>(authorizeAdmitted(...admission), metaOf(...admission));
}

function admissionTo(access: ResourceAccess, operation: Operation): Admission {
  const { parents } = access;
  const isForOperator = access.byAuthor && operation === 'delete';
  const callers: readonly Caller[] = isForOperator ? ['apiKey', 'member', 'operator'] : ['apiKey', 'member'];
  const checkInput: InputCheck = (principal, input) => requireParentScopes(access, principal, input, operation);
  const scopes = access.scopes[operation];
  if (parents.length < 2) return [callers, scopes];
  const oneOf = parents.flatMap((parent) => parent.scopes[operation]);
  return [callers, scopes, { oneOf, checkInput }];
}

/**
 * Procedure for proofs, which show everything of the company: for keys and members with these scopes and without a limit of
 * frameworks. Editors may not. Contract, section 20.
 */
export const proofProcedure = admit<CompanyContext>(
  ['apiKey', 'member'],
  ['audit:read', 'task:read', 'vendor:read', 'member:read'],
  {
    check({ session: { principal } }) {
      if (principal === null) return;
      if (principal.role !== null && !principal.scopes.includes('management:read'))
        throw new ApiError('forbidden', `role: your role, ${principal.role}, cannot read or create proofs`);
      if (principal.frameworks !== null)
        throw new ApiError('forbidden', 'framework: a proof needs access to all frameworks');
    },
  },
);

/** Procedure for the search, which shows what the principal may read: it needs one of the scopes to read. */
export const searchProcedure = admit<CompanyContext>(['apiKey', 'member'], [], { oneOf: ['task:read', 'vendor:read'] });

/** Procedure for integrations only. */
export const apiKeyProcedure = admit<CompanyContext>(['apiKey'], []);

/** Procedure for members and the operator, in one company. */
export const managementProcedure = (...permission: Permission) =>
  admit<CompanyContext>(['member', 'operator'], scopesOf(permission));

/** Procedure for a member of any role, for their own account and views. */
export const accountProcedure = admit<MemberContext>(['member'], []);

/**
 * Procedure for the ways in which a member signs in. A session of single sign-on cannot change them: the identity provider
 * of one company would otherwise reach the other companies of the person.
 */
export const credentialProcedure = admit<MemberContext>(['member'], [], {
  check({ webSession }) {
    if (webSession?.singleSignOn === true)
      throw new ApiError('forbidden', 'Single sign-on: sign in with your password to change how you sign in.');
  },
});

/** Procedure for the operator in the settings of one company. */
export const operatorSettingsProcedure = admit<CompanyContext>(['operator'], []);

/** Procedure for the operator on one company as a whole, also on one that was moved away. */
export const operatorCompanyProcedure = admit<CompanyContext>(['operator'], [], { worksAfterMove: true });

/** Procedure for the operator that needs no company. */
export const operatorProcedure = authorized<object>(requireOperator, { callers: ['operator'] });

/** Checks an input that is not validated yet. */
type InputCheck = (principal: Principal, input: object) => void;

async function checkRawInput(getRawInput: () => Promise<unknown>, check: (input: object) => void): Promise<void> {
  check(Object(await getRawInput()));
}

/** Checks the framework in an input that is not validated yet. */
function requireNamedFramework(principal: Principal, input: object): void {
  const framework: unknown = Reflect.get(input, 'framework');
  if (typeof framework === 'number') requireFramework(principal, framework);
}

/** @throws ApiError `forbidden` for an API key or a member */
export function requireOperator(ctx: Pick<Context, 'caller'>): void {
  requireCaller(ctx, ['operator']);
}
