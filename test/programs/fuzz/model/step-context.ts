import { isDeepStrictEqual } from 'node:util';
import { Finding } from '../runner/finding.ts';
import type { Oracle } from '../runner/oracle.ts';
import type { TestKey } from '../service/companies.ts';
import type { HttpRequest, HttpResponse } from '../service/http-client.ts';
import { findProcedure, trpcCall } from '../service/procedures.ts';
import { diffFields } from './company-model.ts';
import type { CompanyModel } from './company-model.ts';
import type { EntityTagMatch, ReferenceChoice, Step } from './steps.ts';

/** An id that no resource has. */
const UNKNOWN_ID = '01a1fe13-fee2-72ec-b233-f0bb12ac1b53';
/** An entity tag that no resource has. */
const UNKNOWN_ENTITY_TAG = '"1-no"';

/** A request for both transports. */
export interface ModelRequest {
  procedure: string;
  method: string;
  path: string;
  /** The complete input. REST sends `pathField` in the path, and the rest as query or body. */
  input: Record<string, unknown>;
  pathField?: string;
  /** Further fields that REST sends in the path. */
  pathFields?: readonly string[];
  /** Fields that REST sends in the query, beside a body. */
  queryFields?: readonly string[];
  headers?: Record<string, string>;
}

export interface ParsedResponse {
  response: HttpResponse;
  /** The data without the tRPC envelope. */
  data: unknown;
}

/** Procedures that return the entity tag over tRPC. */
const TAGGED_OUTPUT = /\.(?:get|create|updateAndGet|getByExternalId|putByExternalId)$|^task\.update$/;

/** A step with the models of its company and of the next one: sends its requests, and compares the responses with the model. */
export class StepContext {
  readonly step: Step;
  readonly model: CompanyModel;
  readonly otherModel: CompanyModel;
  readonly key: TestKey;
  readonly oracle: Oracle;

  constructor(oracle: Oracle, models: readonly CompanyModel[], step: Step) {
    const model = models[step.company];
    const next = models[(step.company + 1) % models.length];
    if (model === undefined || next === undefined) throw new Error('models: expected one per company');
    this.oracle = oracle;
    this.model = model;
    this.otherModel = next;
    this.step = step;
    this.key = model.company.keys[step.key];
  }

  async #send(request: ModelRequest, isReplay = false): Promise<ParsedResponse> {
    const { company } = this.model;
    const { procedure: name, method, input, pathField, pathFields = [], queryFields = [], headers = {} } = request;
    const claims = this.step.claimsOtherCompany ? { 'X-Company-Id': String(this.otherModel.company.id) } : {};
    if (this.step.transport === 'tRPC') {
      const call = trpcCall(findProcedure(name), JSON.stringify(input));
      const response = await this.oracle.sendAndCheck({ ...call, headers: claims }, { company, key: this.key });
      const data: unknown = Reflect.get(Object(Reflect.get(Object(response.body), 'result')), 'data');
      return TAGGED_OUTPUT.test(name) && response.status === 200
        ? this.#withEntityTagHeader(response, data)
        : { response, data };
    }
    const fieldsIn = (isIncluded: (field: string) => boolean) =>
      Object.fromEntries(Object.entries(input).filter(([field]) => isIncluded(field)));
    const path = withQuery(
      request.path,
      fieldsIn((field) => queryFields.includes(field)),
    );
    const rest = fieldsIn((field) => ![pathField, ...pathFields, ...queryFields].includes(field));
    const httpRequest: HttpRequest =
      method === 'GET' || method === 'DELETE' ? { method, path: withQuery(path, rest) } : { method, path, body: rest };
    const response = await this.oracle.sendAndCheck(
      { ...httpRequest, headers: { ...claims, ...headers } },
      { company, key: this.key },
      isReplay,
    );
    return { response, data: response.body };
  }

  /** Moves the entity tag of a tRPC response to the header, where REST has it. */
  #withEntityTagHeader(response: HttpResponse, data: unknown): ParsedResponse {
    const upsert: { item?: unknown } = Object(data);
    const { etag, ...item } = { ...Object(upsert.item ?? data) } as { etag?: unknown };
    this.assert(typeof etag === 'string', response, 'the field etag');
    const tagged = { ...response, headers: { ...response.headers, etag: `"${String(etag)}"` } };
    return { response: tagged, data: upsert.item === undefined ? item : { ...upsert, item } };
  }

  /**
   * Sends a write. Sends it twice if it has an Idempotency-Key and succeeds.
   * @param predicted error statuses that are correct; empty if the write must succeed
   * @returns undefined for an error or a replay
   */
  async sendChange(
    request: ModelRequest,
    success: number,
    predicted: readonly number[],
  ): Promise<ParsedResponse | undefined> {
    const { idempotencyKey, transport } = this.step;
    const headerValue = idempotencyKey === undefined || transport === 'tRPC' ? undefined : `once ${idempotencyKey}`;
    const recordKey = `${this.key.uniqueId} ${headerValue}`;
    const fingerprint = JSON.stringify([request.procedure, request.input, request.headers]);
    const recorded = headerValue === undefined ? undefined : this.model.replayableResponses.get(recordKey);
    const sent = headerValue === undefined ? request : withHeader(request, 'Idempotency-Key', headerValue);
    // Missing permissions are checked first. Then a known request is replayed, and a different one is an error.
    const isLocked = predicted.some((status) => status === 401 || (status === 403 && this.#isDenied(request)));
    if (recorded !== undefined && !isLocked) {
      if (recorded.request === fingerprint) return this.#expectReplay(sent, recorded.status, recorded.text);
      const { response } = await this.#send(sent, true);
      this.assert(
        [422, ...predicted.filter((status) => status === 400)].includes(response.status),
        response,
        'an error, as the Idempotency-Key was used for another request',
      );
      return undefined;
    }
    const result = await this.#send(sent);
    const { response } = result;
    const statuses = predicted.length > 0 ? predicted : [transport === 'tRPC' ? 200 : success];
    this.assert(statuses.includes(response.status), response, `one of ${statuses.join(', ')}`);
    if (predicted.length > 0) return undefined;
    if (headerValue !== undefined) {
      const { status, text } = response;
      this.model.replayableResponses.set(recordKey, { request: fingerprint, status, text });
      await this.#expectReplay(sent, status, text);
    }
    return result;
  }

  async #expectReplay(request: ModelRequest, status: number, text: string): Promise<undefined> {
    const { response } = await this.#send(request, true);
    const isSame = response.status === status && response.text === text;
    this.assert(
      isSame && response.headers['idempotency-replayed'] === 'true',
      response,
      `a replay of ${status} ${text}`,
    );
    return undefined;
  }

  /** Sends a read. Its status must be 200 if no error is predicted. */
  async sendRead(request: ModelRequest, predicted: readonly number[]): Promise<ParsedResponse | undefined> {
    const result = await this.#send(request);
    const statuses = predicted.length > 0 ? predicted : [200];
    this.assert(statuses.includes(result.response.status), result.response, `one of ${statuses.join(', ')}`);
    return predicted.length > 0 ? undefined : result;
  }

  assert(isCorrect: boolean, { status, text }: Pick<HttpResponse, 'status' | 'text'>, predicted: string): void {
    if (isCorrect) return;
    const step = JSON.stringify(this.step);
    throw new Finding(
      'unexpected response',
      `${status} ${text.slice(0, 2000)}\nexpected ${predicted}\nin step ${step}`,
    );
  }

  assertEqual(actual: unknown, expected: unknown, { response }: ParsedResponse): void {
    this.assert(isDeepStrictEqual(actual, expected), response, JSON.stringify(expected));
  }

  /** Returns 401 or 403 if the key is disabled, or lacks the scope or the framework. */
  deniedStatuses(scope: string, framework?: number): number[] {
    if (this.model.disabledKeys.has(this.key)) return [401];
    const { scopes } = this.key;
    return scopes.includes(scope) && (framework === undefined || this.frameworkAllowed(framework)) ? [] : [403];
  }

  /** Returns true if the key may not make the request at all, independent of its resource. */
  #isDenied({ procedure, input }: ModelRequest): boolean {
    const [kind = '', verb = ''] = procedure.split('.');
    // A batch checks the scope of each item.
    if (verb === 'batch') return this.model.disabledKeys.has(this.key);
    const scope = `${kind}:${verb.startsWith('delete') ? 'delete' : 'write'}`;
    const framework = input['framework'] === undefined ? undefined : Number(input['framework']);
    return this.deniedStatuses(scope, framework).length > 0;
  }

  frameworkAllowed(framework: number): boolean {
    const { frameworks } = this.key;
    return frameworks === null || frameworks.includes(framework);
  }

  referenceId({ index, isOwn }: ReferenceChoice, kind: 'frameworks' | 'departments' | 'gaps'): number {
    return (isOwn ? this.model : this.otherModel).company[kind][index];
  }

  /** Returns the id of the step's resource: of this company, of the next company, of a deleted resource, or of none. */
  resourceId(kind: 'task' | 'vendor'): string {
    const { resourceIndex, isOwn } = this.step;
    const { tasks, vendors, deleted } = isOwn ? this.model : this.otherModel;
    const existing = [...(kind === 'task' ? tasks : vendors).keys()];
    const deletedOfKind = [...deleted].filter(([, framework]) => (framework === undefined) === (kind === 'vendor'));
    if (resourceIndex === 9) return deletedOfKind.at(-1)?.[0] ?? UNKNOWN_ID;
    return existing[resourceIndex % Math.max(1, existing.length)] ?? UNKNOWN_ID;
  }

  ifMatch(resource: { uniqueId: string; version: number } | undefined, match: EntityTagMatch): Record<string, string> {
    if (match === undefined || resource === undefined || this.step.transport === 'tRPC') return {};
    const tag =
      this.model.entityTagFor(resource, match === 'current') ?? (match === 'stale' ? UNKNOWN_ENTITY_TAG : undefined);
    return tag === undefined ? {} : { 'If-Match': tag };
  }

  /** Returns 412 if the sent entity tag is one of an earlier version. */
  staleStatuses(headers: Record<string, string>, match: EntityTagMatch): number[] {
    return headers['If-Match'] !== undefined && match === 'stale' ? [412] : [];
  }

  /** Returns a resource after a change, and the changed fields. The version and the author change only with them. */
  afterChange<T extends { version: number; updatedBy: TestKey }>(before: T, after: T) {
    const changes = diffFields(before, after);
    const isChanged = Object.keys(changes).length > 0;
    const current = isChanged ? { ...after, version: before.version + 1, updatedBy: this.key } : before;
    return { current, changes, isChanged };
  }

  recordEntityTag(
    { response }: ParsedResponse,
    { uniqueId: resource, version }: { uniqueId: string; version: number },
  ): void {
    const { etag } = response.headers;
    if (typeof etag !== 'string') return;
    this.model.entityTags.unshift({ text: etag, resource, version, renameCount: this.model.renameCount });
  }

  recordEvent(action: string, resource: string, changes: Record<string, unknown>, framework?: number): void {
    const actor = this.key && this.userOutput(this.key);
    this.model.events.push({ action, resource, key: this.key, actor, framework, changes });
  }

  markedText(kind: string, index: number): string {
    return `${kind} ${index} ${this.model.company.marker}`;
  }

  userOutput(key: TestKey): object {
    return { uniqueId: key.user, name: this.model.keyName(key), kind: 'integration' };
  }
}

const withHeader = (request: ModelRequest, name: string, value: string): ModelRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

function withQuery(path: string, fields: Record<string, unknown>): string {
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? path : `${path}?${query}`;
}
