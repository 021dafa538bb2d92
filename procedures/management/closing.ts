import { setTimeout as wait } from 'node:timers/promises';
import type { Session } from '../../database/session.ts';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import {
  CLOSING_VERSION,
  companyIsOpen,
  findCompany,
  listErasedCompanies,
  lockCompany,
  setClosed,
  setErasing,
} from '../../entities/company/closing.ts';
import { lockMove } from '../../entities/company/moving.ts';
import type { ErasedCompanyRow } from '../../entities/company/closing.ts';
import type { CompanyRow } from '../../entities/company/statements.ts';
import { sealWaiting } from '../audit/sealing.ts';
import type { AnySession, Context } from '../core/context.ts';
import { servicesOf } from '../core/services.ts';
import type { Services } from '../core/services.ts';

/** Milliseconds for which the last events may wait for their seals: another process may be sealing them. */
const SEAL_WAIT_MS = 5000;

/** The company can only be erased. */
export const isBeingErased = (company: number) =>
  new ApiError('conflict', `company: ${company} is being erased; run company erase until it has ended`);

const wasMoved = (company: number, url: string) => new ApiError('conflict', `company: ${company} was moved to ${url}`);

const wrongName = (company: number) =>
  new ApiError('unprocessable', `name: does not match the name of company ${company}`);

/**
 * Closes a company, or opens it again. A company that is closed or open already stays as it is.
 * @param name must be that of the company; undefined for any
 * @throws ApiError 409 for a company that is being erased or was moved away, 422 for another name, 503 while an older version runs
 */
export async function setCompanyClosed(
  session: Session,
  { closed, name }: { closed: boolean; name: string | undefined },
): Promise<CompanyRow> {
  if (closed) await session.requireVersion(CLOSING_VERSION);
  const { company } = session.principal;
  const row = await session.transaction(async (inside) => {
    const locked = found(await inside.first(lockCompany, {}), 'company');
    if (locked.erasingAt !== null) throw isBeingErased(company);
    if (locked.movedTo !== null) throw wasMoved(company, locked.movedTo);
    if (name !== undefined && name !== locked.name) throw wrongName(company);
    return (await inside.first(setClosed, { closed })) ?? (await inside.one(findCompany, {}));
  });
  session.invalidateApiKeys(); // a trigger tells the other processes
  return row;
}

/** The services of a request. Those of a closed company send no mail, also for the operator, who still manages it. */
export async function openServicesOf(ctx: Pick<Context, 'services'> & { session: Session }): Promise<Services> {
  const services = servicesOf(ctx);
  return (await ctx.session.one(companyIsOpen, {})).open ? services : { ...services, hasMail: false };
}

/** State of an erase that has begun: its time identifies the company in the database; or that of one that has ended. */
export type BegunErase = { erasingAt: string } | { erased: ErasedCompanyRow };

/**
 * Begins an erase, or continues one that was killed: from then on the company can only be erased. Waits until the requests that
 * had begun before the close have ended, and their events are sealed, so that the head of the audit log is the last one.
 * @throws ApiError 404, 409 unless the company is closed or was moved away, 422 for another name, 503 while an older version runs
 */
export async function beginErase(anySession: AnySession, company: number, name: string): Promise<BegunErase> {
  await anySession.requireVersion(CLOSING_VERSION);
  const [erased] = await anySession.run(listErasedCompanies, { id: company });
  if (erased !== undefined) return { erased };
  const session = anySession.asOperator(company).withoutDeadline();
  const { erasingAt, closedForMs } = await session.transaction(async (inside) => {
    const locked = found(await inside.first(lockCompany, {}), 'company');
    if (name !== locked.name) throw wrongName(company);
    if (locked.closedForMs === null)
      throw new ApiError('conflict', `company: ${company} is not closed; close it first`);
    // Only this cell can repeat the confirmation of the switch, without which the other one does not serve the company.
    if (locked.movedTo !== null && (await inside.first(lockMove, { id: company }))?.state !== 'ended')
      throw new ApiError('conflict', `company: the move of ${company} has not ended; run company move again`);
    return { ...(await inside.one(setErasing, {})), closedForMs: locked.closedForMs };
  });
  await wait(Math.max(0, TIMEOUTS_MS.request - closedForMs));
  if (!(await sealWaiting(session, SEAL_WAIT_MS)))
    throw new ApiError('unavailable', 'The audit log is not sealed yet. Try again shortly.');
  return { erasingAt };
}
