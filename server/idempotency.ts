import { hash } from 'node:crypto';
import type { Context } from 'koa';
import type { Session } from '../entities/database/session.ts';
import { Refusal } from '../entities/refusal.ts';
import { claimName, findAnswer, rememberAnswer } from '../entities/statements/remembered-answer.ts';
import type { Remembered } from '../entities/statements/remembered-answer.ts';
import { requireFramework } from '../procedures/rights.ts';
import type { Target } from './reply.ts';

/** A reply that is kept before it is sent. */
export class Recorded implements Target {
  status = 204;
  body: unknown = null;
  readonly #headers: Record<string, string> = {};

  set(name: string, value: string): void {
    this.#headers[name] = value;
  }

  answer(): Remembered {
    const body = typeof this.body === 'string' ? this.body : null;
    return { status: this.status, headers: this.#headers, body };
  }
}

/** A request that its sender may repeat without it being carried out again. */
interface Repeatable {
  /** `Idempotency-Key`. */
  name: string;
  /** All that makes it this request and no other. */
  request: unknown;
  /** The id that its path names, or the empty text. */
  resource: string;
}

/** An answer, and whether it was given before. */
interface Answered extends Remembered {
  isReplay: boolean;
}

/** Each step runs inside the transaction that the idempotency record belongs to. */
interface Steps {
  /** Processes a request that has no record. */
  carryOut: (inside: Session) => Promise<Remembered>;
  /** Throws if the recorded response must not be returned. */
  beforeReplay: (inside: Session) => Promise<void>;
}

const IN_FLIGHT = new Refusal('idempotency_conflict', 'Idempotency-Key: a request with it is being carried out', {
  retryAfter: 1,
});
const ANOTHER = new Refusal('idempotency_key_reused', 'Idempotency-Key: was used for another request');

/** What this process carries out now: told without a connection. Of other processes the database knows. */
const running = new Set<string>();

/**
 * Carries a request out, or answers as it was answered before: what it changes and its answer are committed together, and
 * of what is refused nothing stays. The key's right to the operation must have been checked.
 * @throws Refusal 409 while it is being carried out, 422 where another request had the name, and what a step throws
 */
export function answerOnce(session: Session, { name, request, resource }: Repeatable, steps: Steps): Promise<Answered> {
  const asked = { name: digest(name), fingerprint: digest(canonical(request)), resource };
  const place = `${session.principal.key} ${asked.name.toString('hex')}`;
  if (running.has(place)) throw IN_FLIGHT;
  running.add(place);
  return carriedOut(session, asked, steps).finally(() => running.delete(place));
}

function carriedOut(
  session: Session,
  asked: { name: Buffer; fingerprint: Buffer; resource: string },
  { carryOut, beforeReplay }: Steps,
): Promise<Answered> {
  return session.transaction(async (inside) => {
    if (!(await inside.only(claimName, asked)).free) throw IN_FLIGHT;
    const known = await inside.first(findAnswer, asked);
    if (known !== undefined) {
      const { same, framework, ...answer } = known;
      // Its list of frameworks may be shorter by now; a path that names one has been checked like any.
      if (framework !== null) requireFramework(session.principal, framework);
      await beforeReplay(inside);
      if (!same) throw ANOTHER;
      return { ...answer, isReplay: true };
    }
    const answer = await carryOut(inside);
    await inside.run(rememberAnswer, { ...asked, ...answer });
    return { ...answer, isReplay: false };
  });
}

/** Sends an answer, be it a new one or one that is given again. */
export function send(ctx: Context, { status, headers, body, isReplay }: Answered): void {
  ctx.status = status;
  ctx.set(headers);
  if (isReplay) ctx.set('Idempotency-Replayed', 'true');
  if (body !== null) ctx.body = body;
}

const digest = (text: string) => hash('sha256', text, 'buffer');

/** JSON in which the order of an object's fields does not show. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
