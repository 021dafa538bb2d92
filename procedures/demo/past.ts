import type { Session, Past } from '../../database/session.ts';
import { setDemoTime } from '../../entities/company/demo.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import type { Principal } from '../../entities/principal.ts';
import { account } from '../account/router.ts';
import { comment } from '../comment/router.ts';
import type { AnySession, Caller, Context } from '../core/context.ts';
import type { Services } from '../core/services.ts';
import { createCallerFactory, mergeRouters, router } from '../core/trpc.ts';
import { evidence, evidenceFiles } from '../evidence/router.ts';
import { inbox } from '../inbox/router.ts';
import { apiKey } from '../management/api-key.ts';
import { member } from '../management/member.ts';
import { department, framework, gap } from '../management/reference-data.ts';
import { requirement } from '../requirement/router.ts';
import { task } from '../task/router.ts';
import { vendor } from '../vendor/router.ts';
import { webhook } from '../webhook/router.ts';

/** Procedures that make a demo company. The router of the service contains this one, so they are not its `createCaller`. */
const createDemoCaller = createCallerFactory(
  router({
    task,
    vendor,
    requirement,
    comment,
    evidence: mergeRouters(evidence, evidenceFiles),
    webhook,
    account,
    inbox,
    management: router({ framework, department, gap, apiKey, member }),
  }),
);
export type DemoCaller = ReturnType<typeof createDemoCaller>;

/** Fields of the context beside the session and the caller. */
type Given = Partial<Pick<Context, 'upload' | 'webSession'>>;

/** A demo company, in which procedures run at times of the past. */
export class DemoCompany {
  readonly id: number;
  readonly services: Services;
  readonly #session: Session;

  /** @param session of the operator, without a deadline */
  constructor(session: AnySession, id: number, services: Services) {
    this.id = id;
    this.services = services;
    this.#session = session.actingAs(operatorPrincipal(id)).withoutDeadline();
  }

  /** Session of a principal at the present time. */
  session(principal: Principal): Session {
    return this.#session.actingAs(principal, newUniqueId());
  }

  /** Caller of a principal at the present time. */
  now(principal: Principal, given?: Given): DemoCaller {
    return this.#caller(this.session(principal), given);
  }

  /** Runs work of a principal in one transaction at a time of the past. It may run more than once. */
  at<T>(
    time: Date,
    principal: Principal,
    work: (caller: DemoCaller, inside: Session) => Promise<T>,
    given?: Given,
  ): Promise<T> {
    return this.#sessionAt(time, principal).transaction(async (inside) => {
      const result = await work(this.#caller(inside, given), inside);
      await inside.one(setDemoTime, { at: time.toISOString() });
      return result;
    });
  }

  /** Caller at a time of the past, for procedures that are units of work: they join no transaction. */
  unitsAt(time: Date, principal: Principal): DemoCaller['management'] {
    return this.#caller(this.#sessionAt(time, principal)).management;
  }

  #sessionAt(now: Date, principal: Principal): Session {
    const endOfUnit: Past['endOfUnit'] = (em) =>
      em.execute('select set_demo_time(?::timestamptz)', [now.toISOString()]);
    return this.session(principal).inThePast({ now, endOfUnit });
  }

  #caller(session: Session, given: Given = {}): DemoCaller {
    const { principal } = session;
    const caller: Caller = principal.key !== null ? 'apiKey' : principal.role !== null ? 'member' : 'operator';
    return createDemoCaller({
      requestId: newUniqueId(),
      address: null,
      caller,
      session,
      services: this.services,
      ...given,
    });
  }
}
