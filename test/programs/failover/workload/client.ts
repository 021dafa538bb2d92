import type { SeededRandom } from '../../faults/workload/random.ts';
import type { Company, Resource } from '../../faults/workload/requests.ts';
import type { HttpResponse } from '../../../support/http/client.ts';
import type { LoadRequest, OwnRead } from './history.ts';
import type { Sender } from './sender.ts';

const VENDORS = '/external/smart-inventory/vendor';
/** Source of the external ids, and how many of them a client uses. */
const EXTERNAL = { source: 'load', ids: 3 };
/** Latest writes of a client that it may repeat. */
const REPEATABLE = 20;
/** Time for which the list of the newest tasks surely has a task that was just created. */
const NEWEST_MS = 3000;

/** A company with a vendor that all its clients change. */
export interface Workplace extends Company {
  shared: Resource;
}

/** A resource that only this client changes, with its last acknowledged state. */
interface Owned extends Resource {
  etag: string;
  text: string;
  createdAtMs: number;
}

const resourcePath = ({ type, id }: Resource, action: string): string =>
  type === 'task' ? `/external/task/${id}/${action}` : `${VENDORS}/${id}/${action}`;

/** The field that holds the text of a resource. */
const fieldOf = ({ type }: Pick<Resource, 'type'>) => (type === 'task' ? 'title' : 'name');

const etagOf = ({ headers }: HttpResponse): string => headers.etag ?? '';

/** A client with a key of its own, which sends one request after the other. */
export class LoadClient {
  readonly #sender: Sender;
  readonly #company: Workplace;
  readonly #key: string;
  readonly #random: SeededRandom;
  readonly #name: string;
  readonly #owned: Owned[] = [];
  /** Ids of the vendors that were put by external id. */
  readonly #external = new Map<string, string>();
  readonly #acknowledged: { request: LoadRequest; response: HttpResponse }[] = [];
  readonly ownReads: OwnRead[] = [];
  #count = 0;

  constructor(sender: Sender, company: Workplace, key: string, random: SeededRandom, name: string) {
    this.#sender = sender;
    this.#company = company;
    this.#key = key;
    this.#random = random;
    this.#name = name;
  }

  /** Sends a request of the mix, or two that belong together. */
  async step(): Promise<void> {
    const kind = this.#random.next();
    if (this.#owned.length < 2 || kind < 0.2) return this.#create();
    if (kind < 0.4) return this.#update(this.#random.pick(this.#owned));
    if (kind < 0.5) return this.#updateShared();
    if (kind < 0.6) return this.#putByExternalId(`${this.#name}-${this.#random.integerBelow(EXTERNAL.ids)}`);
    if (kind < 0.65) return this.#repeat(this.#random.pick(this.#acknowledged));
    if (kind < 0.8) return this.#readOwn(this.#random.pick(this.#owned));
    if (kind < 0.87) return this.#listTasks();
    return this.#read();
  }

  async #create(): Promise<void> {
    const type = this.#random.pick(['task', 'vendor'] as const);
    const path = type === 'task' ? `/external/task/framework/${this.#company.framework}/new` : `${VENDORS}/new`;
    const request = this.#request({ method: 'POST', path, action: 'create', resourceType: type });
    const response = await this.#send({ ...request, body: { [fieldOf({ type })]: request.operationId } });
    if (response?.status !== 201) return;
    const { uniqueId: id } = JSON.parse(response.text) as { uniqueId: string };
    const owned = { type, id, etag: etagOf(response), text: request.operationId, createdAtMs: performance.now() };
    this.#owned.push(owned);
    if (this.#random.next() < 0.5) await this.#readOwn(owned);
  }

  /** The client knows the entity tag from its last change, so `If-Match` must hold. */
  async #update(owned: Owned): Promise<void> {
    const response = await this.#patch(owned, owned.etag, false);
    if (response === undefined || response.response.status >= 300) return;
    owned.etag = etagOf(response.response);
    owned.text = response.text;
    if (this.#random.next() < 0.5) await this.#readOwn(owned);
  }

  async #updateShared(): Promise<void> {
    const response = await this.#get(resourcePath(this.#company.shared, 'item'));
    if (response?.status === 200) await this.#patch(this.#company.shared, etagOf(response), true);
  }

  async #patch(resource: Resource, etag: string, isContended: boolean) {
    const path = resourcePath(resource, 'edit');
    const request = this.#request({ method: 'PATCH', path, action: 'update', resourceType: resource.type });
    const response = await this.#send({
      ...request,
      resource: resource.id,
      headers: { 'If-Match': etag },
      body: { [fieldOf(resource)]: request.operationId },
      isContended,
    });
    return response && { response, text: request.operationId };
  }

  /** The first PUT creates the vendor, and each later one changes it. */
  async #putByExternalId(externalId: string): Promise<void> {
    const path = `${VENDORS}/by/${EXTERNAL.source}/${externalId}`;
    const resource = this.#external.get(externalId);
    const action = resource === undefined ? 'create' : 'update';
    const request = this.#request({ method: 'PUT', path, action, resourceType: 'vendor' });
    const body = { name: request.operationId };
    const response = await this.#send({ ...request, body, ...(resource !== undefined && { resource }) });
    if (response === undefined || response.status >= 300) return;
    this.#external.set(externalId, (JSON.parse(response.text) as { uniqueId: string }).uniqueId);
    const read = await this.#get(path);
    if (read?.status === 200) this.#see(body.name, (JSON.parse(read.text) as { name: string }).name);
  }

  /** A repeated write must have the response of the first time. */
  async #repeat({ request, response: first }: { request: LoadRequest; response: HttpResponse }): Promise<void> {
    const response = await this.#sender.repeat(request, this.#key);
    if (response === undefined) return;
    const textOf = ({ status, headers: { etag }, text }: HttpResponse) => `${status} ${etag} ${text}`;
    const { operationId } = request;
    this.ownReads.push({
      operationId,
      expected: `true ${textOf(first)}`,
      seen: `${String(response.headers['idempotency-replayed'])} ${textOf(response)}`,
    });
  }

  async #readOwn(owned: Owned): Promise<void> {
    const expected = owned.text;
    const response = await this.#get(resourcePath(owned, 'item'));
    if (response === undefined) return;
    const item = JSON.parse(response.text) as Record<string, unknown>;
    const seen = item[fieldOf(owned)];
    this.#see(expected, typeof seen === 'string' ? seen : undefined);
  }

  /** The newest tasks must have the one that this client has just created. */
  async #listTasks(): Promise<void> {
    const newest = this.#owned.findLast(({ type }) => type === 'task');
    const mustHave = newest !== undefined && performance.now() - newest.createdAtMs < NEWEST_MS ? newest : undefined;
    const response = await this.#get(`/external/task/framework/${this.#company.framework}/list?limit=100`);
    if (response?.status !== 200 || mustHave === undefined) return;
    const { items } = JSON.parse(response.text) as { items: { uniqueId: string; title: string }[] };
    const seen = items.find(({ uniqueId }) => uniqueId === mustHave.id)?.title;
    this.#see(mustHave.text, seen);
  }

  async #read(): Promise<void> {
    await this.#get(
      this.#random.pick([`${VENDORS}/list?limit=20`, '/external/audit/list?limit=20', '/external/department/list']),
    );
  }

  #get(path: string): Promise<HttpResponse | undefined> {
    return this.#send(this.#request({ method: 'GET', path, action: 'read', resourceType: 'audit' }));
  }

  async #send(request: LoadRequest): Promise<HttpResponse | undefined> {
    const response = await this.#sender.send(request, this.#key);
    if (request.hasIdempotencyKey && response !== undefined && response.status < 300) {
      this.#acknowledged.push({ request, response });
      if (this.#acknowledged.length > REPEATABLE) this.#acknowledged.shift();
    }
    return response;
  }

  /** Records what the last read showed of a resource. */
  #see(expected: string, seen: string | undefined): void {
    this.ownReads.push({ operationId: this.#lastId(), expected, seen });
  }

  #lastId = (): string => `${this.#name}-${this.#count}`;

  #request(fields: Pick<LoadRequest, 'method' | 'path' | 'action' | 'resourceType'>): LoadRequest {
    this.#count += 1;
    return {
      ...fields,
      operationId: this.#lastId(),
      company: this.#company.id,
      hasIdempotencyKey: fields.action !== 'read',
      isContended: false,
    };
  }
}
