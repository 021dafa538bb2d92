import { randomUUID } from 'node:crypto';
import { foreignMarkers } from '../../../support/http/markers.ts';
import { sendRequest, describeRequest } from '../service/http-client.ts';
import type { HttpResponse, HttpRequest } from '../service/http-client.ts';
import type { Company, TestKey } from '../service/companies.ts';
import { Finding } from './finding.ts';
import type { Service } from '../service/service.ts';

/** Maximum number of items in a batch of the service. */
const MAX_BATCH_ITEMS = 100;

/** Tables whose rows are compared. Seals and `last_used_at` are not: the service updates them without a request. */
const COMPANY_TABLES = ['task', 'vendor', 'framework', 'department', 'gap', 'company_user', 'audit_event'];
const tableRowsSql = (table: string) =>
  `(select string_agg(t::text, '|' order by t::text) from ${table} t where t.company_id = c.id)`;
const DIGEST_SQL = `select c.id, md5(concat_ws('#', c::text, ${COMPANY_TABLES.map(tableRowsSql).join(', ')},
  (select string_agg((to_jsonb(k) - 'last_used_at')::text, '|' order by k.unique_id) from api_key k where k.company_id = c.id)
  )) as digest, coalesce(md5(${tableRowsSql('idempotency_record')}), '') as idempotency_digest,
  (select coalesce(max(id), 0)::text from audit_event e where e.company_id = c.id) as newest from company c where c.id = any($1::int[])`;
const NEW_EVENTS_SQL = `select company_id as company, user_id as user, api_key_id as key, action, request_id as "requestId"
  from audit_event where company_id = any($1::int[]) and id > $2::bigint`;

/** State of a company: a digest of its rows, and one of its idempotency records. */
interface CompanyDigest {
  id: number;
  digest: string;
  idempotency_digest: string;
  /** Id of the newest audit event. */
  newest: string;
}

interface AuditEventRow {
  company: number;
  user: string;
  key: string | null;
  action: string;
  requestId: string;
}

/** Sender of a request. */
interface Caller {
  company: Company;
  /** Undefined for the operator. */
  key: TestKey | undefined;
}

/** Counters of the summary. */
export const counters = { requests: 0 };

/** Compares the rows of some companies with the responses, after each request. */
export class Oracle {
  readonly service: Service;
  readonly #ids: number[];
  #digestsBefore = new Map<number, CompanyDigest>();

  constructor(service: Service, companies: readonly Company[]) {
    this.service = service;
    this.#ids = companies.map(({ id }) => id);
  }

  /** @returns an oracle that has read the current state */
  static async create(service: Service, companies: readonly Company[]): Promise<Oracle> {
    const oracle = new Oracle(service, companies);
    oracle.#digestsBefore = await oracle.#readDigests();
    return oracle;
  }

  /**
   * Sends a request and checks the response and the rows.
   * @param isReplay true if the response is an idempotent replay, which changes nothing
   * @throws Finding
   */
  async sendAndCheck(request: HttpRequest, caller?: Caller, isReplay = false): Promise<HttpResponse> {
    const requestId = randomUUID();
    const credentials = caller?.key === undefined ? {} : { 'X-API-Key': caller.key.rawKey };
    const response = await sendRequest(this.service, {
      ...request,
      headers: { 'X-Request-Id': requestId, ...credentials, ...request.headers },
    });
    counters.requests += 1;
    requireNoForeignMarkers(response.text + JSON.stringify(response.headers), caller?.company, request);
    const isAccepted = !isReplay && response.status < 400 && request.method !== 'GET' && request.method !== 'HEAD';
    const description = `${response.status} ${response.text.slice(0, 500)} to ${describeRequest(request)}`;
    const maxChanges = /[/.]batch$/.test(request.path) ? MAX_BATCH_ITEMS : 1;
    await this.checkState(caller, isAccepted ? maxChanges : 0, description, String(response.headers['x-request-id']));
    return response;
  }

  /**
   * Checks the rows against the number of accepted changes, at most one for a request or an item of a batch.
   * Then the current rows become the reference.
   * @param requestId id of the request, if there was exactly one
   * @throws Finding
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
    const changedBy = (field: 'digest' | 'idempotency_digest') =>
      this.#ids.filter((id) => after.get(id)?.[field] !== before.get(id)?.[field]);
    const changed = changedBy('digest');
    const allChanged = [...changed, ...changedBy('idempotency_digest')];
    if (allChanged.length > 0 && (acceptedCount === 0 || allChanged.some((id) => id !== caller?.company.id)))
      throw new Finding('changed despite error', description);
    if (changed.length === 0) return;
    const newest = before.get(caller?.company.id ?? 0)?.newest ?? '0';
    const events = await this.service.sql<AuditEventRow>(NEW_EVENTS_SQL, changed, newest);
    const isFromCaller = (event: AuditEventRow) =>
      (requestId === undefined || event.requestId === requestId) &&
      (caller?.key === undefined || (event.user === caller.key.user && event.key === caller.key.uniqueId));
    const isExpected = events.length > 0 && events.length <= acceptedCount && events.every(isFromCaller);
    if (!isExpected) throw new Finding('audit event mismatch', `${JSON.stringify(events)} of ${description}`);
  }

  async #readDigests(): Promise<Map<number, CompanyDigest>> {
    const rows = await this.service.sql<CompanyDigest>(DIGEST_SQL, this.#ids);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Ends the use of the companies. Nothing may change their rows any more. */
  release(): void {
    for (const [id, { digest }] of this.#digestsBefore) releasedDigests.set(id, digest);
  }
}

/** Digests of the companies that are no longer used. */
const releasedDigests = new Map<number, string>();

/** @throws Finding if a released company has changed */
export async function requireUnchanged({ sql }: Service): Promise<void> {
  const rows = await sql<CompanyDigest>(DIGEST_SQL, [...releasedDigests.keys()]);
  const changed = rows.filter(({ id, digest }) => releasedDigests.get(id) !== digest).map(({ id }) => id);
  if (changed.length > 0 || rows.length < releasedDigests.size)
    throw new Finding('changed despite error', `companies ${changed.join(', ')} changed without a request`);
}

/** @throws Finding if a response has the marker of a company other than the caller's */
export function requireNoForeignMarkers(text: string, company: Company | undefined, request?: HttpRequest): void {
  const [foreign] = foreignMarkers(text, company?.marker);
  if (foreign === undefined) return;
  // Error messages may quote text of the request.
  if (request !== undefined && describeRequest(request).includes(foreign)) return;
  throw new Finding('cross-tenant text', `${foreign} in ${text.slice(0, 1000)}`);
}
