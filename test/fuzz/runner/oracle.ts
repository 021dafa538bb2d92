import { randomUUID } from 'node:crypto';
import { sendRequest, describeRequest } from '../service/http-client.ts';
import type { HttpResponse, HttpRequest } from '../service/http-client.ts';
import type { Company, TestKey } from '../service/companies.ts';
import { Finding } from './finding.ts';
import type { Service } from '../service/service.ts';

/** All rows of a company, but for what is no change of what it owns: when a key was last used, and how far the trail is sealed. */
const COMPANY_TABLES = ['task', 'vendor', 'framework', 'department', 'gap', 'company_user', 'audit_event'];
const tableRowsSql = (table: string) =>
  `(select string_agg(t::text, '|' order by t::text) from ${table} t where t.company_id = c.id)`;
const DIGEST_SQL = `select c.id, md5(concat_ws('#', c::text, ${COMPANY_TABLES.map(tableRowsSql).join(', ')},
  (select string_agg((to_jsonb(k) - 'last_used_at')::text, '|' order by k.unique_id) from api_key k where k.company_id = c.id)
  )) as digest, coalesce(md5(${tableRowsSql('idempotency_record')}), '') as idempotency_digest,
  (select coalesce(max(id), 0)::text from audit_event e where e.company_id = c.id) as newest from company c where c.id = any($1::int[])`;
const NEW_EVENTS_SQL = `select company_id as company, user_id as user, api_key_id as key, action, request_id as "requestId"
  from audit_event where company_id = any($1::int[]) and id > $2::bigint`;
const MARKER_PATTERN = /zq\d{6}qz/g;

/** How a company stands: what it owns, and which answers are kept to be given again. */
interface CompanyDigest {
  id: number;
  digest: string;
  idempotency_digest: string;
  /** The id of its newest event. */
  newest: string;
}

interface AuditEventRow {
  company: number;
  user: string;
  key: string | null;
  action: string;
  requestId: string;
}

/** Who asks. */
interface Caller {
  company: Company;
  /** Undefined: the operator. */
  key: TestKey | undefined;
}

/** What is counted for the summary. */
export const counters = { requests: 0 };

/** Holds what some companies own against what was answered, request by request. */
export class Oracle {
  readonly service: Service;
  readonly #ids: number[];
  #digestsBefore = new Map<number, CompanyDigest>();

  constructor(service: Service, companies: readonly Company[]) {
    this.service = service;
    this.#ids = companies.map(({ id }) => id);
  }

  /** @returns an oracle that knows how things are now */
  static async create(service: Service, companies: readonly Company[]): Promise<Oracle> {
    const oracle = new Oracle(service, companies);
    oracle.#digestsBefore = await oracle.#readDigests();
    return oracle;
  }

  /**
   * Sends a request and holds its answer, and what became of the rows, against what is promised.
   * @param isRepeated whether it was carried out before, and so changes nothing whatever it is answered
   * @throws Finding
   */
  async sendAndCheck(request: HttpRequest, caller?: Caller, isRepeated = false): Promise<HttpResponse> {
    const requestId = randomUUID();
    const credentials = caller?.key === undefined ? {} : { 'X-API-Key': caller.key.rawKey };
    const response = await sendRequest(this.service, {
      ...request,
      headers: { 'X-Request-Id': requestId, ...credentials, ...request.headers },
    });
    counters.requests += 1;
    requireNoForeignMarkers(response.text + JSON.stringify(response.headers), caller?.company, request);
    const isAccepted = !isRepeated && response.status < 400 && request.method !== 'GET' && request.method !== 'HEAD';
    const what = `${response.status} ${response.text.slice(0, 500)} to ${describeRequest(request)}`;
    await this.checkState(caller, isAccepted ? 1 : 0, what, String(response.headers['x-request-id']));
    return response;
  }

  /**
   * Holds the rows against how many requests were accepted, of which each may have changed something of its asker's, and
   * takes them for what they are.
   * @param requestId of that request, where it was one
   */
  async checkState(
    caller: Caller | undefined,
    acceptedCount: number,
    description: string,
    requestId?: string,
  ): Promise<void> {
    const before = this.#digestsBefore;
    const after = await this.#readDigests();
    this.#digestsBefore = after;
    const differ = (field: 'digest' | 'idempotency_digest') =>
      this.#ids.filter((id) => after.get(id)?.[field] !== before.get(id)?.[field]);
    const changed = differ('digest');
    const all = [...changed, ...differ('idempotency_digest')];
    if (all.length > 0 && (acceptedCount === 0 || all.some((id) => id !== caller?.company.id)))
      throw new Finding('changed despite error', description);
    if (changed.length === 0) return;
    const newest = before.get(caller?.company.id ?? 0)?.newest ?? '0';
    const events = await this.service.sql<AuditEventRow>(NEW_EVENTS_SQL, changed, newest);
    const isTheirs = (event: AuditEventRow) =>
      (requestId === undefined || event.requestId === requestId) &&
      (caller?.key === undefined || (event.user === caller.key.user && event.key === caller.key.uniqueId));
    const isRight = events.length > 0 && events.length <= acceptedCount && events.every(isTheirs);
    if (!isRight) throw new Finding('audit event mismatch', `${JSON.stringify(events)} of ${description}`);
  }

  async #readDigests(): Promise<Map<number, CompanyDigest>> {
    const rows = await this.service.sql<CompanyDigest>(DIGEST_SQL, this.#ids);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** From here on nothing may change what its companies own. */
  release(): void {
    for (const [id, { digest }] of this.#digestsBefore) releasedDigests.set(id, digest);
  }
}

/** Companies that nobody acts upon any more, and how they were left. */
const releasedDigests = new Map<number, string>();

/** @throws Finding where anything that was left has changed since */
export async function requireUnchanged({ sql }: Service): Promise<void> {
  const rows = await sql<CompanyDigest>(DIGEST_SQL, [...releasedDigests.keys()]);
  const changed = rows.filter(({ id, digest }) => releasedDigests.get(id) !== digest).map(({ id }) => id);
  if (changed.length > 0 || rows.length < releasedDigests.size)
    throw new Finding('changed despite error', `companies ${changed.join(', ')}, which nobody acted upon`);
}

/** @throws Finding where an answer shows a marker of anybody but its asker */
export function requireNoForeignMarkers(text: string, company: Company | undefined, request?: HttpRequest): void {
  const foreign = text.match(MARKER_PATTERN)?.find((marker) => marker !== company?.marker);
  if (foreign === undefined) return;
  // What a client sends may come back to it in a message.
  if (request !== undefined && describeRequest(request).includes(foreign)) return;
  throw new Finding('cross-tenant text', `${foreign} in ${text.slice(0, 1000)}`);
}
