import { isDeepStrictEqual } from 'node:util';
import type { HttpResponse, HttpRequest } from '../service/http-client.ts';
import type { TestKey } from '../service/companies.ts';
import { Finding } from '../runner/finding.ts';
import { diffFields, canTransition, nextVendorStatus, dedupeLabels } from './company-model.ts';
import type { CompanyModel, ExternalIdModel, TaskModel, VendorModel } from './company-model.ts';
import type { Oracle } from '../runner/oracle.ts';
import { PROCEDURES, trpcCall } from '../service/procedures.ts';
import { OPERATOR_TOKEN } from '../service/service.ts';
import type {
  Action,
  ReferenceChoice,
  EntityTagMatch,
  PutOptions,
  Step,
  TaskSort,
  TaskStepInput,
  VendorStepInput,
} from './steps.ts';

const VENDORS = '/external/smart-inventory/vendor';
/** An id that no resource has. */
const UNKNOWN_ID = '01a1fe13-fee2-72ec-b233-f0bb12ac1b53';
/** An entity tag that no resource has. */
const UNKNOWN_ENTITY_TAG = '"1-no"';
const LABELS = ['red', 'Red', 'blue', 'green', 'BLUE', 'ünïcode'];
const DAYS = ['2026-01-31', '2026-02-28', '2026-12-01', '2999-12-31'];

/** A request for both transports. */
interface ModelRequest {
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

/** An external id of a step, with the object that it is reserved for. The object may be deleted. */
interface Reservation {
  key: string;
  reserved: string | undefined;
  reference: ExternalIdModel;
  path: string;
  input: Record<string, unknown>;
  pathFields: readonly string[];
}

interface ParsedResponse {
  response: HttpResponse;
  /** The data without the tRPC envelope. */
  data: unknown;
}

/** Procedures that return the entity tag over tRPC. */
const TAGGED_OUTPUT = /^(?:task\.(?:get|create|update)|vendor\.(?:get|create|updateAndGet))$/;

/** Runs one step: sends the requests, compares the responses with the model, and updates the model. */
export class StepRunner {
  readonly #oracle: Oracle;
  readonly #model: CompanyModel;
  readonly #otherModel: CompanyModel;
  readonly #step: Step;
  readonly #key: TestKey;

  constructor(oracle: Oracle, models: readonly CompanyModel[], step: Step) {
    const model = models[step.company];
    const next = models[(step.company + 1) % models.length];
    if (model === undefined || next === undefined) throw new Error('models: expected one per company');
    this.#oracle = oracle;
    this.#model = model;
    this.#otherModel = next;
    this.#step = step;
    this.#key = model.company.keys[step.key];
  }

  /** @throws Finding if a response differs from the prediction */
  async run(): Promise<void> {
    const { action } = this.#step;
    switch (action.type) {
      case 'create task':
        return this.#createTask(action.framework, action.input);
      case 'update task':
        return this.#updateTask(action.input, action.match);
      case 'create vendor':
        return this.#createVendor(action.input);
      case 'update vendor':
        return this.#updateVendor(action.input, action.match, action.returnsResult);
      case 'put task':
        return this.#putTask(action.framework, action.input, action.options, action.match);
      case 'put vendor':
        return this.#putVendor(action.input, action.options, action.match);
      case 'get by external id':
        return this.#getByExternalId(action.kind, action.framework, action.externalId);
      case 'delete by external id':
        return this.#deleteByExternalId(action.kind, action.framework, action.externalId);
      case 'batch vendors':
        return this.#batchVendors(action.atomic, action.items);
      case 'delete task':
        return this.#delete('task', action.match);
      case 'delete vendor':
        return this.#delete('vendor', action.match);
      case 'get task':
        return this.#get('task');
      case 'get vendor':
        return this.#get('vendor');
      case 'task history':
        return this.#history('task');
      case 'vendor history':
        return this.#history('vendor');
      case 'list tasks':
        return this.#listTasks(action);
      case 'list vendors':
        return this.#listVendors(action);
      case 'list reference data':
        return this.#listReferenceData(action.kind, action.choice);
      case 'list audit log':
        return this.#listAuditLog(action.resourceType);
      case 'follow changes':
        return this.#followChanges();
      case 'archive':
      case 'rename':
        return this.#manageReferenceData(action.type, action.kind, action.choice);
      case 'rename key':
      case 'disable key':
      case 'enable key':
      default:
        return this.#manageApiKey(action.type);
    }
  }

  // Requests

  async #send(request: ModelRequest, isReplay = false): Promise<ParsedResponse> {
    const { company } = this.#model;
    const { procedure: name, method, input, pathField, pathFields = [], queryFields = [], headers = {} } = request;
    const claims = this.#step.claimsOtherCompany ? { 'X-Company-Id': String(this.#otherModel.company.id) } : {};
    if (this.#step.transport === 'tRPC') {
      const call = trpcCall(findProcedure(name), JSON.stringify(input));
      const response = await this.#oracle.sendAndCheck({ ...call, headers: claims }, { company, key: this.#key });
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
    const response = await this.#oracle.sendAndCheck(
      { ...httpRequest, headers: { ...claims, ...headers } },
      { company, key: this.#key },
      isReplay,
    );
    return { response, data: response.body };
  }

  /** Moves the entity tag of a tRPC response to the header, where REST has it. */
  #withEntityTagHeader(response: HttpResponse, data: unknown): ParsedResponse {
    const { etag, ...item } = { ...Object(data) } as { etag?: unknown };
    this.#assert(typeof etag === 'string', response, 'the field etag');
    return { response: { ...response, headers: { ...response.headers, etag: `"${String(etag)}"` } }, data: item };
  }

  /**
   * Sends a write. Sends it twice if it has an Idempotency-Key and succeeds.
   * @param predicted error statuses that are correct; empty if the write must succeed
   * @returns undefined for an error or a replay
   */
  async #sendChange(
    request: ModelRequest,
    success: number,
    predicted: readonly number[],
  ): Promise<ParsedResponse | undefined> {
    const { idempotencyKey, transport } = this.#step;
    const headerValue = idempotencyKey === undefined || transport === 'tRPC' ? undefined : `once ${idempotencyKey}`;
    const recordKey = `${this.#key.uniqueId} ${headerValue}`;
    const fingerprint = JSON.stringify([request.procedure, request.input, request.headers]);
    const recorded = headerValue === undefined ? undefined : this.#model.replayableResponses.get(recordKey);
    const sent = headerValue === undefined ? request : withHeader(request, 'Idempotency-Key', headerValue);
    // Missing permissions are checked first. Then a known request is replayed, and a different one is an error.
    const isLocked = predicted.some((status) => status === 401 || (status === 403 && this.#isDenied(request)));
    if (recorded !== undefined && !isLocked) {
      if (recorded.request === fingerprint) return this.#expectReplay(sent, recorded.status, recorded.text);
      const { response } = await this.#send(sent, true);
      this.#assert(
        [422, ...predicted.filter((status) => status === 400)].includes(response.status),
        response,
        'an error, as the Idempotency-Key was used for another request',
      );
      return undefined;
    }
    const result = await this.#send(sent);
    const { response } = result;
    const statuses = predicted.length > 0 ? predicted : [transport === 'tRPC' ? 200 : success];
    this.#assert(statuses.includes(response.status), response, `one of ${statuses.join(', ')}`);
    if (predicted.length > 0) return undefined;
    if (headerValue !== undefined) {
      const { status, text } = response;
      this.#model.replayableResponses.set(recordKey, { request: fingerprint, status, text });
      await this.#expectReplay(sent, status, text);
    }
    return result;
  }

  async #expectReplay(request: ModelRequest, status: number, text: string): Promise<undefined> {
    const { response } = await this.#send(request, true);
    const isSame = response.status === status && response.text === text;
    this.#assert(
      isSame && response.headers['idempotency-replayed'] === 'true',
      response,
      `a replay of ${status} ${text}`,
    );
    return undefined;
  }

  /** Sends a read. Its status must be 200 if no error is predicted. */
  async #sendRead(request: ModelRequest, predicted: readonly number[]): Promise<ParsedResponse | undefined> {
    const result = await this.#send(request);
    const statuses = predicted.length > 0 ? predicted : [200];
    this.#assert(statuses.includes(result.response.status), result.response, `one of ${statuses.join(', ')}`);
    return predicted.length > 0 ? undefined : result;
  }

  #assert(isCorrect: boolean, { status, text }: Pick<HttpResponse, 'status' | 'text'>, predicted: string): void {
    if (isCorrect) return;
    const step = JSON.stringify(this.#step);
    throw new Finding(
      'unexpected response',
      `${status} ${text.slice(0, 2000)}\nexpected ${predicted}\nin step ${step}`,
    );
  }

  #assertEqual(actual: unknown, expected: unknown, { response }: ParsedResponse): void {
    this.#assert(isDeepStrictEqual(actual, expected), response, JSON.stringify(expected));
  }

  // Permissions and selection of resources

  /** Returns 401 or 403 if the key is disabled, or lacks the scope or the framework. */
  #deniedStatuses(scope: string, framework?: number): number[] {
    if (this.#model.disabledKeys.has(this.#key)) return [401];
    const { scopes } = this.#key;
    return scopes.includes(scope) && (framework === undefined || this.#frameworkAllowed(framework)) ? [] : [403];
  }

  /** Returns true if the key may not make the request at all, independent of its resource. */
  #isDenied({ procedure, input }: ModelRequest): boolean {
    const [kind = '', verb = ''] = procedure.split('.');
    // A batch checks the scope of each item.
    if (verb === 'batch') return this.#model.disabledKeys.has(this.#key);
    const scope = `${kind}:${verb.startsWith('delete') ? 'delete' : 'write'}`;
    const framework = input['framework'] === undefined ? undefined : Number(input['framework']);
    return this.#deniedStatuses(scope, framework).length > 0;
  }

  #frameworkAllowed(framework: number): boolean {
    const { frameworks } = this.#key;
    return frameworks === null || frameworks.includes(framework);
  }

  #referenceId({ index, isOwn }: ReferenceChoice, kind: 'frameworks' | 'departments' | 'gaps'): number {
    return (isOwn ? this.#model : this.#otherModel).company[kind][index];
  }

  /** Returns the id of the step's resource: of this company, of the next company, of a deleted resource, or of none. */
  #resourceId(kind: 'task' | 'vendor'): string {
    const { resourceIndex, isOwn } = this.#step;
    const { tasks, vendors, deleted } = isOwn ? this.#model : this.#otherModel;
    const existing = [...(kind === 'task' ? tasks : vendors).keys()];
    const deletedOfKind = [...deleted].filter(([, framework]) => (framework === undefined) === (kind === 'vendor'));
    if (resourceIndex === 9) return deletedOfKind.at(-1)?.[0] ?? UNKNOWN_ID;
    return existing[resourceIndex % Math.max(1, existing.length)] ?? UNKNOWN_ID;
  }

  #ifMatch(resource: { uniqueId: string; version: number } | undefined, match: EntityTagMatch): Record<string, string> {
    if (match === undefined || resource === undefined || this.#step.transport === 'tRPC') return {};
    const tag =
      this.#model.entityTagFor(resource, match === 'current') ?? (match === 'stale' ? UNKNOWN_ENTITY_TAG : undefined);
    return tag === undefined ? {} : { 'If-Match': tag };
  }

  #recordEntityTag(
    { response }: ParsedResponse,
    { uniqueId: resource, version }: { uniqueId: string; version: number },
  ): void {
    const { etag } = response.headers;
    if (typeof etag !== 'string') return;
    this.#model.entityTags.unshift({ text: etag, resource, version, renameCount: this.#model.renameCount });
  }

  #recordEvent(action: string, resource: string, changes: Record<string, unknown>, framework?: number): void {
    this.#model.events.push({ action, resource, key: this.#key, framework, changes });
  }

  // Tasks

  #markedText(kind: string, index: number): string {
    return `${kind} ${index} ${this.#model.company.marker}`;
  }

  #taskInput(input: TaskStepInput): Record<string, unknown> {
    const day = (index: number | null | undefined) => (typeof index === 'number' ? DAYS[index] : index);
    const { title, description, priority, labels, startDate, dueDate, department, gaps, status } = input;
    return withoutUndefined({
      // The service trims white space around a title.
      title: title === undefined ? undefined : `${title === 3 ? ' \t' : ''}${this.#markedText('Title', title)}`,
      description: description === undefined ? undefined : this.#markedText('R&D', description),
      priority,
      labels: labels?.map((index) => `${LABELS[index]} ${this.#model.company.marker}`),
      startDate: day(startDate),
      dueDate: day(dueDate),
      departmentId: department && this.#referenceId(department, 'departments'),
      gaps: gaps?.map((gap) => this.#referenceId(gap, 'gaps')),
      status,
    });
  }

  /** Returns the statuses of the rules that a change of a task violates. */
  #ruleViolations(before: Pick<TaskModel, 'departmentId' | 'gaps' | 'status'>, after: TaskModel): number[] {
    const { company, archived } = this.#model;
    const { departmentId: department, gaps, startDate, dueDate } = after;
    const frameworkIndex = company.frameworks.indexOf(after.framework);
    const isDepartment = (id: number) => company.departments.includes(id) && !archived.department.has(id);
    const isGap = (id: number) => company.gaps[frameworkIndex] === id && !archived.gap.has(id);
    const isUnprocessable =
      (startDate !== null && dueDate !== null && dueDate < startDate) ||
      (department !== null && department !== before.departmentId && !isDepartment(department)) ||
      new Set(gaps).size < gaps.length ||
      gaps.some((gap) => !before.gaps.includes(gap) && !isGap(gap));
    return [...(isUnprocessable ? [422] : []), ...(canTransition(before.status, after.status) ? [] : [409])];
  }

  async #createTask(choice: ReferenceChoice, input: TaskStepInput): Promise<void> {
    const framework = this.#referenceId(choice, 'frameworks');
    const fields = this.#taskInput(input);
    const task = {
      uniqueId: '',
      framework,
      title: '',
      description: '',
      priority: 3,
      labels: [],
      startDate: null,
      dueDate: null,
      departmentId: null,
      gaps: [],
      ...normalize(fields),
      status: 'todo',
      externalIds: [],
      createdBy: this.#key,
      updatedBy: this.#key,
      version: 1,
    } satisfies TaskModel;
    const denied = this.#deniedStatuses('task:write', framework);
    const violatesRule =
      this.#model.archived.framework.has(framework) ||
      this.#ruleViolations({ ...task, departmentId: null, gaps: [] }, task).length > 0;
    const predicted = denied.length > 0 ? denied : !choice.isOwn ? [404] : violatesRule ? [422] : [];
    const path = `/external/task/framework/${framework}/new`;
    const request = {
      procedure: 'task.create',
      method: 'POST',
      path,
      input: { framework, ...fields },
      pathField: 'framework',
    };
    const result = await this.#sendChange(request, 201, predicted);
    if (result === undefined) return;
    const created = { ...task, uniqueId: String(Reflect.get(Object(result.data), 'uniqueId')) };
    this.#assertEqual(withoutTimestamps(result.data), this.#taskOutput(created), result);
    this.#assert(!this.#model.tasks.has(created.uniqueId), result.response, 'a new id');
    this.#model.tasks.set(created.uniqueId, created);
    this.#recordEntityTag(result, created);
    const { title, description, priority, status } = created;
    this.#recordEvent('task.create', created.uniqueId, { title, description, priority, status }, framework);
  }

  async #updateTask(input: TaskStepInput, match: EntityTagMatch): Promise<void> {
    const uniqueId = this.#resourceId('task');
    const before = this.#model.tasks.get(uniqueId);
    const fields = this.#taskInput(input);
    const after = before && { ...before, ...normalize(fields) };
    const headers = this.#ifMatch(before, match);
    const denied = this.#deniedStatuses('task:write', before?.framework);
    const missing = before === undefined ? [404] : [];
    const violations = before && after ? this.#ruleViolations(before, after) : [];
    const stale = headers['If-Match'] !== undefined && match === 'stale' ? [412] : [];
    const predicted = firstNonEmpty(denied, missing, violations, stale);
    const path = `/external/task/${uniqueId}/edit`;
    const request = {
      procedure: 'task.update',
      method: 'PATCH',
      path,
      input: { taskUniqueId: uniqueId, ...fields },
      pathField: 'taskUniqueId',
      headers,
    };
    const result = await this.#sendChange(request, 200, predicted);
    if (result === undefined || before === undefined || after === undefined) return;
    const changes = diffFields(before, after);
    const isChanged = Object.keys(changes).length > 0;
    const current = isChanged ? { ...after, version: before.version + 1, updatedBy: this.#key } : before;
    this.#assertEqual(withoutTimestamps(result.data), this.#taskOutput(current), result);
    this.#model.tasks.set(uniqueId, current);
    this.#recordEntityTag(result, current);
    if (isChanged) this.#recordEvent('task.update', uniqueId, changes, before.framework);
  }

  #taskOutput({ createdBy, updatedBy, ...task }: TaskModel): object {
    return { ...task, createdBy: this.#userOutput(createdBy), updatedBy: this.#userOutput(updatedBy) };
  }

  #userOutput(key: TestKey): object {
    return { uniqueId: key.user, name: this.#model.keyName(key), kind: 'integration' };
  }

  async #listTasks({ framework: choice, filter, sort, limit }: Extract<Action, { type: 'list tasks' }>): Promise<void> {
    const framework = this.#referenceId(choice, 'frameworks');
    const { status, priority, dueBefore, dueAfter } = filter;
    const label = filter.label === undefined ? undefined : `${LABELS[filter.label]} ${this.#model.company.marker}`;
    const q = filter.q === undefined ? undefined : `tItLe ${filter.q} `;
    const departmentId = filter.department && this.#referenceId(filter.department, 'departments');
    const [maxDueDate, minDueDate] = [dueBefore, dueAfter].map((index) =>
      index === undefined ? undefined : DAYS[index],
    );
    const input = {
      framework,
      ...withoutUndefined({
        status,
        priority,
        label,
        departmentId,
        dueBefore: maxDueDate,
        dueAfter: minDueDate,
        q,
        sort,
        limit,
      }),
    };
    const expectedTasks = [...this.#model.tasks.values()]
      .filter(
        (task) =>
          task.framework === framework &&
          (status === undefined ||
            status.split(',').some((one) => (one === 'open' ? isOpen(task.status) : one === task.status))) &&
          (priority === undefined || String(priority).split(',').includes(String(task.priority))) &&
          (label === undefined || task.labels.some((other) => other.toLowerCase() === label.toLowerCase())) &&
          (departmentId === undefined || task.departmentId === departmentId) &&
          (maxDueDate === undefined || (task.dueDate !== null && task.dueDate <= maxDueDate)) &&
          (minDueDate === undefined || (task.dueDate !== null && task.dueDate >= minDueDate)) &&
          (q === undefined || task.title.toLowerCase().includes(q.toLowerCase().trim())),
      )
      .toSorted(TASK_ORDERS[sort ?? '-createdAt']);
    const predicted = firstNonEmpty(this.#deniedStatuses('task:read', framework), choice.isOwn ? [] : [404]);
    const path = `/external/task/framework/${framework}/list`;
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const pageInput = { ...input, ...(cursor !== undefined && { cursor }) };
      const request = { procedure: 'task.list', method: 'GET', path, input: pageInput, pathField: 'framework' };
      const result = await this.#sendRead(request, predicted);
      if (result === undefined) return;
      const { total, items, nextCursor = null } = Object(result.data) as Record<string, unknown>;
      this.#assert(total === expectedTasks.length, result.response, `a total of ${expectedTasks.length}`);
      this.#assert(
        Array.isArray(items) === (limit !== undefined),
        result.response,
        'items if and only if a limit is sent',
      );
      if (Array.isArray(items)) seen.push(...items.map(withoutTimestamps));
      cursor = nextCursor ?? undefined;
      const expectedItems = expectedTasks.slice(0, seen.length).map((task) => this.#taskOutput(task));
      this.#assertEqual(seen, expectedItems, result);
      this.#assert(
        cursor !== undefined || limit === undefined || seen.length === expectedTasks.length,
        result.response,
        'all tasks',
      );
    } while (cursor !== undefined);
  }

  // Vendors

  #vendorInput({ name, description, active, status }: VendorStepInput): Record<string, unknown> {
    return withoutUndefined({
      name: name === undefined ? undefined : `${this.#markedText('Vendor', name)}${name === 3 ? '\n' : ''}`,
      description: description === undefined ? undefined : this.#markedText('<p>Of', description).concat('</p>'),
      active,
      status,
    });
  }

  async #createVendor(input: VendorStepInput): Promise<void> {
    const requestFields = this.#vendorInput(input);
    const { active = true, ...fields } = { description: '', name: '', ...normalize(requestFields) } as VendorModel & {
      active?: boolean;
    };
    const request = { procedure: 'vendor.create', method: 'POST', path: `${VENDORS}/new`, input: requestFields };
    const result = await this.#sendChange(request, 201, this.#deniedStatuses('vendor:write'));
    if (result === undefined) return;
    const uniqueId = String(Reflect.get(Object(result.data), 'uniqueId'));
    const status = active ? 'active' : 'inactive';
    const created: VendorModel = {
      ...fields,
      uniqueId,
      status,
      externalIds: [],
      createdBy: this.#key,
      updatedBy: this.#key,
      version: 1,
    };
    this.#assertEqual(withoutTimestamps(result.data), this.#vendorOutput(created), result);
    this.#assert(!this.#model.vendors.has(uniqueId), result.response, 'a new id');
    this.#model.vendors.set(uniqueId, created);
    this.#recordEntityTag(result, created);
    this.#recordEvent('vendor.create', uniqueId, { name: created.name, description: created.description, status });
  }

  async #updateVendor(input: VendorStepInput, match: EntityTagMatch, returnsResult: boolean): Promise<void> {
    const uniqueId = this.#resourceId('vendor');
    const before = this.#model.vendors.get(uniqueId);
    const requestFields = this.#vendorInput(input);
    const { active, status, ...fields } = normalize(requestFields) as VendorStepInput & Partial<VendorModel>;
    const contradicts = active !== undefined && status !== undefined && active !== (status === 'active');
    const headers = this.#ifMatch(before, match);
    const predicted = firstNonEmpty(
      this.#deniedStatuses('vendor:write'),
      contradicts ? [400] : [],
      before === undefined ? [404] : [],
      headers['If-Match'] !== undefined && match === 'stale' ? [412] : [],
    );
    const prefersRepresentation = returnsResult && this.#step.transport === 'REST';
    const request = {
      procedure: returnsResult ? 'vendor.updateAndGet' : 'vendor.update',
      method: 'PATCH',
      path: `${VENDORS}/${uniqueId}/edit`,
      input: { vendor: uniqueId, ...requestFields },
      pathField: 'vendor',
      headers: { ...headers, ...(prefersRepresentation && { Prefer: 'return=representation' }) },
    };
    const result = await this.#sendChange(request, returnsResult ? 200 : 204, predicted);
    if (result === undefined || before === undefined) return;
    const newStatus = nextVendorStatus(before.status, withoutUndefined({ active, status }));
    const after: VendorModel = { ...before, ...fields, status: newStatus };
    const changes = diffFields(before, after);
    const isChanged = Object.keys(changes).length > 0;
    const current = isChanged ? { ...after, version: before.version + 1, updatedBy: this.#key } : before;
    if (returnsResult) this.#assertEqual(withoutTimestamps(result.data), this.#vendorOutput(current), result);
    this.#model.vendors.set(uniqueId, current);
    this.#recordEntityTag(result, current);
    if (isChanged) this.#recordEvent('vendor.update', uniqueId, changes);
  }

  #vendorOutput({ createdBy, updatedBy, ...vendor }: VendorModel): object {
    const active = vendor.status === 'active';
    return { ...vendor, active, createdBy: this.#userOutput(createdBy), updatedBy: this.#userOutput(updatedBy) };
  }

  async #listVendors({
    status,
    view,
    limit,
    cursor: cursorOwner,
  }: Extract<Action, { type: 'list vendors' }>): Promise<void> {
    const denied = this.#deniedStatuses('vendor:read');
    const storedCursor =
      cursorOwner === undefined ? undefined : (cursorOwner === 'own' ? this.#model : this.#otherModel).vendorCursor;
    const isPaged = this.#step.transport === 'tRPC' || limit !== undefined;
    const sendPage = (input: object, predicted: number[]) => {
      const path = `${VENDORS}/list`;
      return this.#sendRead(
        { procedure: 'vendor.page', method: 'GET', path, input: withoutUndefined({ ...input }) },
        predicted,
      );
    };
    const parsePage = ({ response, data }: ParsedResponse) => ({
      items: (Array.isArray(data) ? data : Reflect.get(Object(data), 'items')) as { uniqueId: string }[],
      nextCursor: Array.isArray(data)
        ? cursorFromLink(response.headers['link'])
        : (Reflect.get(Object(data), 'nextCursor') as string | null),
    });
    if (storedCursor !== undefined) {
      // A cursor is valid only for the company that received it.
      const page = await sendPage(
        { limit: 100, cursor: storedCursor },
        firstNonEmpty(denied, cursorOwner === 'foreign' ? [400] : []),
      );
      const isOwn =
        page === undefined || parsePage(page).items.every(({ uniqueId }) => this.#model.vendors.has(uniqueId));
      if (page !== undefined) this.#assert(isOwn, page.response, 'only vendors of the company');
      return;
    }
    const expectedVendors = [...this.#model.vendors.values()]
      .filter((vendor) => status === undefined || vendor.status === status)
      .toSorted((one, other) => (one.name + one.uniqueId < other.name + other.uniqueId ? -1 : 1))
      .map((vendor) =>
        view === 'full' ? this.#vendorOutput(vendor) : pickFields({ ...vendor }, ['uniqueId', 'name', 'status']),
      );
    // Whole vendors are paged.
    const predicted = firstNonEmpty(denied, view === 'full' && limit === undefined ? [400] : []);
    const seen: unknown[] = [];
    let cursor: string | null | undefined;
    do {
      const result = await sendPage({ status, view, limit, cursor }, predicted);
      if (result === undefined) return;
      const { items, nextCursor } = parsePage(result);
      seen.push(...(view === 'full' ? items.map(withoutTimestamps) : items));
      this.#assertEqual(seen, expectedVendors.slice(0, seen.length), result);
      cursor = isPaged ? nextCursor : null;
      if (typeof cursor === 'string' && status === undefined && view === undefined) this.#model.vendorCursor = cursor;
      this.#assert(
        typeof cursor === 'string' || seen.length === expectedVendors.length,
        result.response,
        'all vendors',
      );
    } while (typeof cursor === 'string');
  }

  // Reference data

  async #listReferenceData(kind: 'framework' | 'department' | 'gap', choice: ReferenceChoice): Promise<void> {
    const framework = this.#referenceId(choice, 'frameworks');
    const isGap = kind === 'gap';
    const denied = this.#deniedStatuses('task:read', isGap ? framework : undefined);
    const request = isGap
      ? { path: `/external/framework/${framework}/gap/list`, input: { framework }, pathField: 'framework' }
      : { path: `/external/${kind}/list`, input: {} };
    const result = await this.#sendRead(
      { procedure: `${kind}.list`, method: 'GET', ...request },
      firstNonEmpty(denied, isGap && !choice.isOwn ? [404] : []),
    );
    if (result === undefined) return;
    const { company, archived } = this.#model;
    const expected = {
      framework: company.frameworks.filter((id) => this.#frameworkAllowed(id)),
      department: company.departments,
      gap: [company.gaps[choice.index]],
    }[kind].map((id) => ({ id, archived: archived[kind].has(id) }));
    const items = result.data as Record<string, unknown>[];
    this.#assertEqual(
      items.map((item) => pickFields(item, ['id', 'archived'])),
      expected,
      result,
    );
  }

  // External ids

  /** The external id of a step, the object that it is reserved for, and that object if it exists. */
  #reservation(kind: 'task' | 'vendor', index: number, framework?: number): Reservation {
    const reference = { source: 'fuzz', externalId: `${this.#markedText('ID/', index)}%2F` };
    const key = JSON.stringify([kind, framework, index]);
    const reserved = this.#model.reservations.get(key);
    const segments = `by/fuzz/${encodeURIComponent(reference.externalId)}`;
    const path = kind === 'task' ? `/external/task/framework/${framework}/${segments}` : `${VENDORS}/${segments}`;
    const input = { ...reference, ...(framework !== undefined && { framework }) };
    return { key, reserved, reference, path, input, pathFields: ['source', 'externalId', 'framework'] };
  }

  /** Errors of a PUT that depend on whether the object exists. */
  #upsertErrors({ create, recreate }: PutOptions, exists: boolean, isReserved: boolean): number[] {
    if (exists) return [];
    return firstNonEmpty(create ? [] : [404], isReserved && !recreate ? [409] : []);
  }

  /** Sends a PUT. @returns the item; undefined for an error or a replay */
  async #sendPut(
    kind: 'task' | 'vendor',
    { path, input, pathFields }: Pick<Reservation, 'path' | 'input' | 'pathFields'>,
    fields: Record<string, unknown>,
    options: PutOptions,
    headers: Record<string, string>,
    upsert: string,
    predicted: readonly number[],
  ): Promise<{ result: ParsedResponse; item: unknown; isDryRun: boolean } | undefined> {
    const { externalId: _index, ...query } = options;
    const isDryRun = query.dryRun && this.#step.idempotencyKey === undefined;
    const request = {
      procedure: `${kind}.putByExternalId`,
      method: 'PUT',
      path,
      input: { ...input, ...query, dryRun: isDryRun, ...fields },
      pathFields,
      queryFields: Object.keys(query),
      headers,
    };
    const result = await this.#sendChange(request, upsert === 'created' ? 201 : 200, predicted);
    if (result === undefined) return undefined;
    const isRest = this.#step.transport === 'REST';
    const sentUpsert: unknown = isRest
      ? result.response.headers['x-upsert']
      : Reflect.get(Object(result.data), 'upsert');
    this.#assert(sentUpsert === upsert, result.response, `the upsert ${upsert}, not ${String(sentUpsert)}`);
    return { result, item: isRest ? result.data : Reflect.get(Object(result.data), 'item'), isDryRun };
  }

  /** The vendor after a PUT. */
  #vendorAfterPut(
    before: VendorModel | undefined,
    requestFields: Record<string, unknown>,
    mode: PutOptions['mode'],
    reference: ExternalIdModel,
  ) {
    const { active, status, ...fields } = normalize(requestFields) as VendorStepInput & Partial<VendorModel>;
    const isReplaced = mode === 'replace' || before === undefined;
    const statusBefore =
      isReplaced && active === undefined && status === undefined ? 'active' : (before?.status ?? 'active');
    const after: VendorModel = {
      ...(before ?? {
        uniqueId: '',
        name: '',
        externalIds: [reference],
        createdBy: this.#key,
        updatedBy: this.#key,
        version: 1,
      }),
      ...(isReplaced ? { description: '' } : { description: before.description }),
      ...fields,
      status: nextVendorStatus(statusBefore, withoutUndefined({ active, status })),
    };
    const contradicts = active !== undefined && status !== undefined && active !== (status === 'active');
    const isInvalid = contradicts || (fields.name === undefined && mode === 'replace');
    return { after, isInvalid, lacksName: fields.name === undefined && before === undefined };
  }

  /** Records the result of a PUT in the model. */
  #applyVendorPut(before: VendorModel | undefined, after: VendorModel, key: string, item: unknown): VendorModel {
    const changes = before === undefined ? {} : diffFields(before, after);
    const isUnchanged = before !== undefined && Object.keys(changes).length === 0;
    const version = before === undefined ? 1 : before.version + (isUnchanged ? 0 : 1);
    const uniqueId = String(Reflect.get(Object(item), 'uniqueId'));
    const updatedBy = isUnchanged ? before.updatedBy : this.#key;
    const current = { ...after, uniqueId, version, updatedBy };
    this.#model.vendors.set(uniqueId, current);
    this.#model.reservations.set(key, uniqueId);
    if (before === undefined) {
      const { name, description, status, externalIds } = current;
      this.#recordEvent('vendor.create', uniqueId, { name, description, status, externalIds });
    } else if (!isUnchanged) this.#recordEvent('vendor.update', uniqueId, changes);
    return current;
  }

  async #putVendor(input: VendorStepInput, options: PutOptions, match: EntityTagMatch): Promise<void> {
    const reservation = this.#reservation('vendor', options.externalId);
    const before = this.#model.vendors.get(reservation.reserved ?? '');
    const fields = this.#vendorInput(input);
    const { after, isInvalid, lacksName } = this.#vendorAfterPut(before, fields, options.mode, reservation.reference);
    const headers = this.#ifMatch(before, match);
    const predicted = firstNonEmpty(
      this.#deniedStatuses('vendor:write'),
      isInvalid ? [400] : [],
      this.#upsertErrors(options, before !== undefined, reservation.reserved !== undefined),
      lacksName ? [400] : [],
      headers['If-Match'] !== undefined && match === 'stale' ? [412] : [],
    );
    const upsert = upsertResult(before, after);
    const sent = await this.#sendPut('vendor', reservation, fields, options, headers, upsert, predicted);
    if (sent === undefined) return;
    const { result, item, isDryRun } = sent;
    const uniqueId = String(Reflect.get(Object(item), 'uniqueId'));
    if (isDryRun) return;
    this.#assert(before !== undefined || !this.#model.vendors.has(uniqueId), result.response, 'a new id');
    const current = this.#applyVendorPut(before, after, reservation.key, item);
    this.#assertEqual(withoutTimestamps(item), this.#vendorOutput(current), result);
    this.#recordEntityTag(result, current);
  }

  async #putTask(
    choice: ReferenceChoice,
    input: TaskStepInput,
    options: PutOptions,
    match: EntityTagMatch,
  ): Promise<void> {
    const framework = this.#referenceId(choice, 'frameworks');
    const reservation = this.#reservation('task', options.externalId, framework);
    const before = this.#model.tasks.get(reservation.reserved ?? '');
    const requestFields = this.#taskInput(input);
    const fields = normalize(requestFields);
    const defaults = {
      title: '',
      description: '',
      priority: 3,
      labels: [],
      startDate: null,
      dueDate: null,
      departmentId: null,
      gaps: [],
    };
    const start = before ?? {
      uniqueId: '',
      framework,
      ...defaults,
      status: 'todo',
      externalIds: [reservation.reference],
      createdBy: this.#key,
      updatedBy: this.#key,
      version: 1,
    };
    const after: TaskModel = { ...start, ...(options.mode === 'replace' && defaults), ...fields };
    const headers = this.#ifMatch(before, match);
    const isArchived = before === undefined && this.#model.archived.framework.has(framework);
    const lacksTitle = fields['title'] === undefined;
    const predicted = firstNonEmpty(
      this.#deniedStatuses('task:write', framework),
      lacksTitle && options.mode === 'replace' ? [400] : [],
      this.#upsertErrors(options, before !== undefined, reservation.reserved !== undefined),
      choice.isOwn ? [] : [404],
      lacksTitle && before === undefined ? [400] : [],
      isArchived ? [422] : this.#ruleViolations(start, after),
      headers['If-Match'] !== undefined && match === 'stale' ? [412] : [],
    );
    const upsert = upsertResult(before, after);
    const sent = await this.#sendPut('task', reservation, requestFields, options, headers, upsert, predicted);
    if (sent === undefined || sent.isDryRun) return;
    const { result, item } = sent;
    const uniqueId = String(Reflect.get(Object(item), 'uniqueId'));
    const isUnchanged = upsert === 'unchanged';
    const version = before === undefined ? 1 : before.version + (isUnchanged ? 0 : 1);
    const current = { ...after, uniqueId, version, updatedBy: isUnchanged ? start.updatedBy : this.#key };
    this.#assertEqual(withoutTimestamps(item), this.#taskOutput(current), result);
    this.#model.tasks.set(uniqueId, current);
    this.#model.reservations.set(reservation.key, uniqueId);
    this.#recordEntityTag(result, current);
    const { title, status, externalIds } = current;
    if (before === undefined) this.#recordEvent('task.create', uniqueId, { title, status, externalIds }, framework);
    else if (!isUnchanged) this.#recordEvent('task.update', uniqueId, diffFields(before, after), framework);
  }

  async #getByExternalId(kind: 'task' | 'vendor', choice: ReferenceChoice, externalId: number): Promise<void> {
    const framework = kind === 'task' ? this.#referenceId(choice, 'frameworks') : undefined;
    const { reserved = '', path, input, pathFields } = this.#reservation(kind, externalId, framework);
    const resource = this.#findResource(kind, reserved);
    const denied = this.#deniedStatuses(`${kind}:read`, framework);
    const request = { procedure: `${kind}.getByExternalId`, method: 'GET', path, input, pathFields };
    const result = await this.#sendRead(request, firstNonEmpty(denied, resource === undefined ? [404] : []));
    if (result === undefined || resource === undefined) return;
    const expected = 'title' in resource ? this.#taskOutput(resource) : this.#vendorOutput(resource);
    this.#assertEqual(withoutTimestamps(result.data), expected, result);
    this.#recordEntityTag(result, resource);
  }

  async #deleteByExternalId(kind: 'task' | 'vendor', choice: ReferenceChoice, externalId: number): Promise<void> {
    const framework = kind === 'task' ? this.#referenceId(choice, 'frameworks') : undefined;
    const { reserved = '', path, input, pathFields } = this.#reservation(kind, externalId, framework);
    const resource = this.#findResource(kind, reserved);
    const denied = this.#deniedStatuses(`${kind}:delete`, framework);
    const request = { procedure: `${kind}.deleteByExternalId`, method: 'DELETE', path, input, pathFields };
    const result = await this.#sendChange(request, 204, firstNonEmpty(denied, resource === undefined ? [404] : []));
    if (result !== undefined && resource !== undefined) this.#recordDeletion(kind, resource);
  }

  #recordDeletion(kind: 'task' | 'vendor', resource: TaskModel | VendorModel): void {
    const { uniqueId } = resource;
    const framework = 'framework' in resource ? resource.framework : undefined;
    (kind === 'task' ? this.#model.tasks : this.#model.vendors).delete(uniqueId);
    this.#model.deleted.set(uniqueId, framework);
    const recorded = 'title' in resource ? { title: resource.title, status: resource.status } : { name: resource.name };
    this.#recordEvent(`${kind}.delete`, uniqueId, recorded, framework);
  }

  async #batchVendors(atomic: boolean, items: { externalId: number; input: VendorStepInput }[]): Promise<void> {
    const planned = items.map(({ externalId, input }) => {
      const reservation = this.#reservation('vendor', externalId);
      const before = this.#model.vendors.get(reservation.reserved ?? '');
      const body = this.#vendorInput(input);
      const { after, isInvalid, lacksName } = this.#vendorAfterPut(before, body, 'merge', reservation.reference);
      const [error] = firstNonEmpty(
        this.#deniedStatuses('vendor:write'),
        isInvalid ? [400] : [],
        before === undefined && reservation.reserved !== undefined ? [409] : [],
        lacksName ? [400] : [],
      );
      return { reservation, before, after, body, error };
    });
    const errors = planned.flatMap(({ error }) => (error === undefined ? [] : [error]));
    const [rejected] = errors.includes(400) ? [400] : errors;
    const predicted = this.#model.disabledKeys.has(this.#key)
      ? [401]
      : atomic && rejected !== undefined
        ? [rejected]
        : [];
    const request = {
      procedure: 'vendor.batch',
      method: 'POST',
      path: `${VENDORS}/batch`,
      input: {
        atomic,
        items: planned.map(({ reservation, body }) => ({
          op: 'upsert',
          ...reservation.reference,
          mode: 'merge',
          body,
        })),
      },
    };
    const result = await this.#sendChange(request, 200, predicted);
    if (result === undefined) return;
    const results: unknown = Reflect.get(Object(result.data), 'results');
    for (const [index, { reservation, before, after, error }] of planned.entries()) {
      const { status, item } = Object(Array.isArray(results) ? results[index] : undefined) as Record<string, unknown>;
      const expected = error ?? (before === undefined ? 201 : 200);
      this.#assert(status === expected, result.response, `the status ${expected} of item ${index}`);
      if (error !== undefined) continue;
      const current = this.#applyVendorPut(before, after, reservation.key, item);
      this.#assertEqual(withoutTimestamps(item), this.#vendorOutput(current), result);
    }
  }

  // Tasks and vendors

  #findResource(kind: 'task' | 'vendor', uniqueId: string): TaskModel | VendorModel | undefined {
    return kind === 'task' ? this.#model.tasks.get(uniqueId) : this.#model.vendors.get(uniqueId);
  }

  #resourceRequest(kind: 'task' | 'vendor', verb: string, method: string, uniqueId: string): ModelRequest {
    const pathField = kind === 'task' ? 'taskUniqueId' : 'vendor';
    const segment = { get: 'item', history: 'history', delete: 'delete' }[verb] ?? '';
    const path = `${kind === 'task' ? '/external/task' : VENDORS}/${uniqueId}/${segment}`;
    return { procedure: `${kind}.${verb}`, method, path, input: { [pathField]: uniqueId }, pathField };
  }

  async #get(kind: 'task' | 'vendor'): Promise<void> {
    const uniqueId = this.#resourceId(kind);
    const resource = this.#findResource(kind, uniqueId);
    const framework = kind === 'task' ? this.#model.tasks.get(uniqueId)?.framework : undefined;
    const predicted = firstNonEmpty(
      this.#deniedStatuses(`${kind}:read`, framework),
      resource === undefined ? [404] : [],
    );
    const result = await this.#sendRead(this.#resourceRequest(kind, 'get', 'GET', uniqueId), predicted);
    if (result === undefined || resource === undefined) return;
    const expected = 'title' in resource ? this.#taskOutput(resource) : this.#vendorOutput(resource);
    this.#assertEqual(withoutTimestamps(result.data), expected, result);
    this.#recordEntityTag(result, resource);
  }

  async #delete(kind: 'task' | 'vendor', match: EntityTagMatch): Promise<void> {
    const uniqueId = this.#resourceId(kind);
    const resource = this.#findResource(kind, uniqueId);
    const framework = kind === 'task' ? this.#model.tasks.get(uniqueId)?.framework : undefined;
    const headers = this.#ifMatch(resource, match);
    const predicted = firstNonEmpty(
      this.#deniedStatuses(`${kind}:delete`, framework),
      resource === undefined ? [404] : [],
      headers['If-Match'] !== undefined && match === 'stale' ? [412] : [],
    );
    const request = { ...this.#resourceRequest(kind, 'delete', 'DELETE', uniqueId), headers };
    const result = await this.#sendChange(request, 204, predicted);
    if (result === undefined || resource === undefined) return;
    this.#recordDeletion(kind, resource);
  }

  async #history(kind: 'task' | 'vendor'): Promise<void> {
    const uniqueId = this.#resourceId(kind);
    const framework = this.#model.tasks.get(uniqueId)?.framework ?? this.#model.deleted.get(uniqueId);
    const events = this.#model.events.filter(({ resource }) => resource === uniqueId);
    const predicted = firstNonEmpty(this.#deniedStatuses('audit:read', framework), events.length === 0 ? [404] : []);
    const result = await this.#sendRead(this.#resourceRequest(kind, 'history', 'GET', uniqueId), predicted);
    if (result !== undefined) this.#assertEvents(result, events);
  }

  async #listAuditLog(kind: 'task' | 'vendor'): Promise<void> {
    const input = { resourceType: kind, limit: 100 };
    const request = { procedure: 'audit.list', method: 'GET', path: '/external/audit/list', input };
    const result = await this.#sendRead(request, this.#deniedStatuses('audit:read'));
    const events = this.#model.events.filter(
      ({ action, framework }) =>
        action.startsWith(`${kind}.`) && (framework === undefined || this.#frameworkAllowed(framework)),
    );
    if (result !== undefined) this.#assertEvents(result, events);
  }

  /** The newest events may not be sealed yet, so the feed is a prefix of the expected events. */
  async #followChanges(): Promise<void> {
    const request = { procedure: 'changes.list', method: 'GET', path: '/external/changes', input: { limit: 500 } };
    const result = await this.#sendRead(request, this.#deniedStatuses('audit:read'));
    if (result === undefined) return;
    const visible = this.#model.events.filter(
      ({ action, framework }) =>
        /^(?:task|vendor)\./.test(action) && (framework === undefined || this.#frameworkAllowed(framework)),
    );
    const all = Reflect.get(Object(result.data), 'items') as { action: string }[];
    const items = all.filter(({ action }) => /^(?:task|vendor)\./.test(action)).toReversed();
    this.#assertEvents({ ...result, data: { items } }, visible.slice(0, items.length));
  }

  /** Asserts that the response lists exactly these events, newest first. */
  #assertEvents(result: ParsedResponse, events: CompanyModel['events']): void {
    const items = Reflect.get(Object(result.data), 'items') as Record<string, unknown>[];
    const actual = items.map(({ action, actor, apiKey, resource, changes }, index) => {
      const expected = events.at(-1 - index);
      const allChanges = Object(changes) as Record<string, unknown>;
      const isUpdate = expected?.action.endsWith('.update') === true;
      const comparedChanges = isUpdate ? allChanges : pickFields(allChanges, Object.keys(expected?.changes ?? {}));
      return {
        action,
        actor,
        apiKey,
        resource: Reflect.get(Object(resource), 'uniqueId') as unknown,
        changes: comparedChanges,
      };
    });
    const expected = events.toReversed().map(({ action, key, resource, changes }) => ({
      action,
      actor: key && this.#userOutput(key),
      apiKey: key?.uniqueId,
      resource,
      changes,
    }));
    this.#assertEqual(actual, expected, result);
  }

  // Management by the operator

  async #callManagement(procedure: string, input: object, predicted: number): Promise<boolean> {
    const { company } = this.#model;
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(company.id) };
    const request = { method: 'POST', path: `/trpc/management.${procedure}`, headers, body: input };
    const response = await this.#oracle.sendAndCheck(request, { company, key: undefined });
    this.#assert(response.status === predicted, response, String(predicted));
    return predicted === 200;
  }

  async #manageReferenceData(
    verb: 'archive' | 'rename',
    kind: 'framework' | 'department' | 'gap',
    choice: ReferenceChoice,
  ): Promise<void> {
    const id = this.#referenceId(choice, `${kind}s`);
    const name = this.#markedText(kind, this.#step.resourceIndex);
    const newName = kind === 'gap' ? { title: name } : { name };
    const input = { id, ...(verb === 'rename' && newName) };
    const isSuccess = await this.#callManagement(`${kind}.${verb}`, input, choice.isOwn ? 200 : 404);
    if (isSuccess && verb === 'archive') this.#model.archived[kind].add(id);
  }

  async #manageApiKey(action: 'rename key' | 'disable key' | 'enable key'): Promise<void> {
    const { isOwn, key: keyName, resourceIndex } = this.#step;
    const key = (isOwn ? this.#model : this.#otherModel).company.keys[keyName];
    const name = this.#markedText('Key', resourceIndex);
    const change = action === 'rename key' ? { name } : { enabled: action === 'enable key' };
    const isSuccess = await this.#callManagement(
      'apiKey.update',
      { uniqueId: key.uniqueId, ...change },
      isOwn ? 200 : 404,
    );
    if (!isSuccess) return;
    if (action === 'rename key') this.#model.renameKey(key, name);
    else if (action === 'enable key') this.#model.disabledKeys.delete(key);
    else this.#model.disabledKeys.add(key);
  }
}

const isOpen = (status: string) => ['todo', 'in_progress', 'in_review'].includes(status);

const compareIds = (one: TaskModel, other: TaskModel) => (one.uniqueId < other.uniqueId ? -1 : 1);
const compareDays = (one: string | null, other: string | null, direction: 1 | -1) =>
  one === other ? 0 : one === null ? 1 : other === null ? -1 : one < other ? -direction : direction;
/** The orders of the contract. */
const TASK_ORDERS: Record<TaskSort, (one: TaskModel, other: TaskModel) => number> = {
  createdAt: compareIds,
  '-createdAt': (one, other) => compareIds(other, one),
  dueDate: (one, other) => compareDays(one.dueDate, other.dueDate, 1) || compareIds(one, other),
  '-dueDate': (one, other) => compareDays(one.dueDate, other.dueDate, -1) || compareIds(other, one),
  priority: (one, other) => one.priority - other.priority || compareIds(one, other),
};

/** Returns the statuses of the first check that fails: the service reports only that one. */
const firstNonEmpty = (...predicted: number[][]): number[] => predicted.find((statuses) => statuses.length > 0) ?? [];

const withoutUndefined = <T extends object>(fields: T): { [Field in keyof T]: Exclude<T[Field], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const pickFields = (fields: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));

/** Returns the fields of a request as the service stores them. */
function normalize(fields: Record<string, unknown>): Record<string, unknown> {
  const { labels } = fields;
  return {
    ...fields,
    ...Object.fromEntries(
      ['title', 'name'].flatMap((field) => (field in fields ? [[field, String(fields[field]).trim()]] : [])),
    ),
    ...(Array.isArray(labels) && { labels: dedupeLabels(labels.map(String)) }),
  };
}

function upsertResult(before: object | undefined, after: object): string {
  if (before === undefined) return 'created';
  return Object.keys(diffFields(before, after)).length === 0 ? 'unchanged' : 'updated';
}

/** Removes the timestamps, which the model cannot predict. Checks that they are present and in order. */
function withoutTimestamps(output: unknown): object {
  const { createdAt, updatedAt, ...rest } = Object(output) as Record<string, unknown>;
  if (typeof createdAt !== 'string' || typeof updatedAt !== 'string' || createdAt > updatedAt)
    throw new Finding('unexpected response', `wrong timestamps in ${JSON.stringify(output)}`);
  return rest;
}

const withHeader = (request: ModelRequest, name: string, value: string): ModelRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

function withQuery(path: string, fields: Record<string, unknown>): string {
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? path : `${path}?${query}`;
}

const cursorFromLink = (link: unknown): string | null =>
  typeof link === 'string' ? (/[?&]cursor=([^&>]+)/.exec(link)?.[1] ?? null) : null;

function findProcedure(name: string) {
  const procedure = PROCEDURES.find((candidate) => candidate.name === name);
  if (procedure === undefined) throw new Error(`no procedure ${name}`);
  return procedure;
}
