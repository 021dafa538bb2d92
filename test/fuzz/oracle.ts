import { randomUUID } from 'node:crypto';
import { ask, shown } from './ask.ts';
import type { Answer, Asked } from './ask.ts';
import type { Company, Key } from './companies.ts';
import { Finding } from './finding.ts';
import type { Service } from './service.ts';

/** All rows of a company, but for what is no change of what it owns: when a key was last used, and how far the trail is sealed. */
const OWNED = ['task', 'vendor', 'framework', 'department', 'gap', 'company_user', 'audit_event'];
const rowsOf = (table: string) =>
  `(select string_agg(t::text, '|' order by t::text) from ${table} t where t.company_id = c.id)`;
const DIGESTS = `select c.id, md5(concat_ws('#', c::text, ${OWNED.map(rowsOf).join(', ')},
  (select string_agg((to_jsonb(k) - 'last_used_at')::text, '|' order by k.unique_id) from api_key k where k.company_id = c.id)
  )) as digest, coalesce(md5(${rowsOf('remembered_answer')}), '') as remembered,
  (select coalesce(max(id), 0)::text from audit_event e where e.company_id = c.id) as newest from company c where c.id = any($1::int[])`;
const EVENTS = `select company_id as company, user_id as user, api_key_id as key, action, request_id as "requestId"
  from audit_event where company_id = any($1::int[]) and id > $2::bigint`;
const ALL_MARKERS = /zq\d{6}qz/g;

/** How a company stands: what it owns, and which answers are kept to be given again. */
interface Digest {
  id: number;
  digest: string;
  remembered: string;
  /** The id of its newest event. */
  newest: string;
}

interface Event {
  company: number;
  user: string;
  key: string | null;
  action: string;
  requestId: string;
}

/** Who asks. */
interface Asker {
  company: Company;
  /** Undefined: the operator. */
  key: Key | undefined;
}

/** What is counted for the summary. */
export const counted = { requests: 0 };

/** Holds what some companies own against what was answered, request by request. */
export class Oracle {
  readonly service: Service;
  readonly #ids: number[];
  #before = new Map<number, Digest>();

  constructor(service: Service, companies: readonly Company[]) {
    this.service = service;
    this.#ids = companies.map(({ id }) => id);
  }

  /** @returns an oracle that knows how things are now */
  static async over(service: Service, companies: readonly Company[]): Promise<Oracle> {
    const oracle = new Oracle(service, companies);
    oracle.#before = await oracle.#digests();
    return oracle;
  }

  /**
   * Sends a request and holds its answer, and what became of the rows, against what is promised.
   * @param isRepeated whether it was carried out before, and so changes nothing whatever it is answered
   * @throws Finding
   */
  async ask(asked: Asked, by?: Asker, isRepeated = false): Promise<Answer> {
    const requestId = randomUUID();
    const credentials = by?.key === undefined ? {} : { 'X-API-Key': by.key.raw };
    const answer = await ask(this.service, {
      ...asked,
      headers: { 'X-Request-Id': requestId, ...credentials, ...asked.headers },
    });
    counted.requests += 1;
    refuseMarkers(answer.text + JSON.stringify(answer.headers), by?.company, asked);
    const isAccepted = !isRepeated && answer.status < 400 && asked.method !== 'GET' && asked.method !== 'HEAD';
    const what = `${answer.status} ${answer.text.slice(0, 500)} to ${shown(asked)}`;
    await this.settle(by, isAccepted ? 1 : 0, what, String(answer.headers['x-request-id']));
    return answer;
  }

  /**
   * Holds the rows against how many requests were accepted, of which each may have changed something of its asker's, and
   * takes them for what they are.
   * @param requestId of that request, where it was one
   */
  async settle(by: Asker | undefined, accepted: number, what: string, requestId?: string): Promise<void> {
    const before = this.#before;
    const after = await this.#digests();
    this.#before = after;
    const differ = (field: 'digest' | 'remembered') =>
      this.#ids.filter((id) => after.get(id)?.[field] !== before.get(id)?.[field]);
    const changed = differ('digest');
    const all = [...changed, ...differ('remembered')];
    if (all.length > 0 && (accepted === 0 || all.some((id) => id !== by?.company.id)))
      throw new Finding('changed though refused', what);
    if (changed.length === 0) return;
    const newest = before.get(by?.company.id ?? 0)?.newest ?? '0';
    const events = await this.service.sql<Event>(EVENTS, changed, newest);
    const isTheirs = (event: Event) =>
      (requestId === undefined || event.requestId === requestId) &&
      (by?.key === undefined || (event.user === by.key.user && event.key === by.key.uniqueId));
    const isRight = events.length > 0 && events.length <= accepted && events.every(isTheirs);
    if (!isRight) throw new Finding('not one event', `${JSON.stringify(events)} of ${what}`);
  }

  async #digests(): Promise<Map<number, Digest>> {
    const rows = await this.service.sql<Digest>(DIGESTS, this.#ids);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** From here on nothing may change what its companies own. */
  leave(): void {
    for (const [id, { digest }] of this.#before) left.set(id, digest);
  }
}

/** Companies that nobody acts upon any more, and how they were left. */
const left = new Map<number, string>();

/** @throws Finding where anything that was left has changed since */
export async function requireAsLeft({ sql }: Service): Promise<void> {
  const rows = await sql<Digest>(DIGESTS, [...left.keys()]);
  const changed = rows.filter(({ id, digest }) => left.get(id) !== digest).map(({ id }) => id);
  if (changed.length > 0 || rows.length < left.size)
    throw new Finding('changed though refused', `companies ${changed.join(', ')}, which nobody acted upon`);
}

/** @throws Finding where an answer shows a marker of anybody but its asker */
export function refuseMarkers(text: string, of: Company | undefined, asked?: Asked): void {
  const foreign = text.match(ALL_MARKERS)?.find((marker) => marker !== of?.marker);
  if (foreign === undefined) return;
  // What a client sends may come back to it in a message.
  if (asked !== undefined && shown(asked).includes(foreign)) return;
  throw new Finding('foreign marker', `${foreign} in ${text.slice(0, 1000)}`);
}
