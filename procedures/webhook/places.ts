import type { InFlight } from '../../entities/webhook/sending.ts';
import { MAX_WEBHOOKS } from '../../entities/webhook/webhook.ts';

/** Maximum number of deliveries in flight. A company has a quarter of the process, or less if others need places too. */
const MAX_IN_FLIGHT = { perProcess: 256, perCompany: 64, perWebhook: 16 };
/** Part of the places without those of other companies that a company may hold. The rest is for companies that come later. */
const SHARE = MAX_IN_FLIGHT.perCompany / MAX_IN_FLIGHT.perProcess;

/**
 * Shares the places of a process for deliveries in flight, so that endpoints that do not respond delay neither those of other
 * companies nor the others of their company. Each company keeps one place for each endpoint; the places beyond them are shared.
 */
export class Places {
  /** Number of deliveries in flight by company and endpoint. */
  readonly #taken = new Map<number, Map<string, number>>();
  #free = MAX_IN_FLIGHT.perProcess;

  take(company: number, webhook: string): void {
    this.#add(company, webhook, 1);
  }

  release(company: number, webhook: string): void {
    this.#add(company, webhook, -1);
  }

  /** Deliveries of a company in flight, and the places that it may take now. */
  of(company: number): InFlight {
    const taken = this.#taken.get(company) ?? new Map<string, number>();
    const counts = [...taken.values()];
    const held = counts.reduce((sum, count) => sum + count, 0);
    const shared = Math.floor((this.#free + held) * SHARE) - MAX_WEBHOOKS - held;
    const [perWebhook, room] =
      shared > 0 ? [MAX_IN_FLIGHT.perWebhook, shared] : [1, Math.min(this.#free, MAX_IN_FLIGHT.perCompany - held)];
    return { busy: [...taken.keys()], counts, perWebhook, room };
  }

  #add(company: number, webhook: string, change: 1 | -1): void {
    const taken = this.#taken.get(company) ?? new Map<string, number>();
    const count = (taken.get(webhook) ?? 0) + change;
    if (count === 0) taken.delete(webhook);
    else taken.set(webhook, count);
    if (taken.size === 0) this.#taken.delete(company);
    else this.#taken.set(company, taken);
    this.#free -= change;
  }
}
