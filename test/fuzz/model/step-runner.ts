import { isDeepStrictEqual } from 'node:util';
import type { HttpResponse, HttpRequest } from '../service/http-client.ts';
import type { TestKey } from '../service/companies.ts';
import { Finding } from '../runner/finding.ts';
import { diffFields, canTransition, nextVendorStatus, dedupeLabels } from './company-model.ts';
import type { CompanyModel, TaskModel, VendorModel } from './company-model.ts';
import type { Oracle } from '../runner/oracle.ts';
import { PROCEDURES, trpcCall } from '../service/procedures.ts';
import { OPERATOR_TOKEN } from '../service/service.ts';
import type { ReferenceChoice, EntityTagMatch, Step, TaskFilter, TaskStepInput, VendorStepInput } from './steps.ts';

const VENDORS = '/external/smart-inventory/vendor';
/** The id of nothing. */
const UNKNOWN_ID = '01a1fe13-fee2-72ec-b233-f0bb12ac1b53';
/** A tag that nothing has. */
const UNKNOWN_ENTITY_TAG = '"1-no"';
const LABELS = ['red', 'Red', 'blue', 'green', 'BLUE', 'ünïcode'];
const DAYS = ['2026-01-31', '2026-02-28', '2026-12-01', '2999-12-31'];

/** The same request, as either road takes it. */
interface ModelRequest {
  procedure: string;
  method: string;
  path: string;
  /** All that it says, over tRPC. */
  input: Record<string, unknown>;
  /** What of that is in the path. */
  pathField?: string;
  headers?: Record<string, string>;
}

interface ParsedResponse {
  response: HttpResponse;
  /** What it holds, without what wraps it. */
  data: unknown;
}

/** One company's turn: asks, and holds what is answered against what the model makes of it. */
export class StepRunner {
  readonly #oracle: Oracle;
  readonly #model: CompanyModel;
  readonly #otherModel: CompanyModel;
  readonly #step: Step;
  readonly #key: TestKey;

  constructor(oracle: Oracle, models: readonly CompanyModel[], step: Step) {
    const own = models[step.company];
    const next = models[(step.company + 1) % models.length];
    if (own === undefined || next === undefined) throw new Error('a turn needs companies');
    this.#oracle = oracle;
    this.#model = own;
    this.#otherModel = next;
    this.#step = step;
    this.#key = own.company.keys[step.key];
  }

  /** @throws Finding where anything is not as predicted */
  async run(): Promise<void> {
    const { action: deed } = this.#step;
    switch (deed.do) {
      case 'create task':
        return this.#createTask(deed.framework, deed.wish);
      case 'update task':
        return this.#updateTask(deed.wish, deed.match);
      case 'create vendor':
        return this.#createVendor(deed.wish);
      case 'update vendor':
        return this.#updateVendor(deed.wish, deed.match, deed.isShown);
      case 'delete task':
        return this.#delete('task', deed.match);
      case 'delete vendor':
        return this.#delete('vendor', deed.match);
      case 'get task':
        return this.#get('task');
      case 'get vendor':
        return this.#get('vendor');
      case 'task history':
        return this.#history('task');
      case 'vendor history':
        return this.#history('vendor');
      case 'list tasks':
        return this.#listTasks(deed.framework, deed.filter, deed.limit);
      case 'list vendors':
        return this.#listVendors(deed.status, deed.limit, deed.cursor);
      case 'list audit log':
        return this.#listAuditLog(deed.of);
      case 'archive':
      case 'rename':
        return this.#manageReferenceData(deed.do, deed.what, deed.which);
      case 'rename key':
      case 'disable key':
      case 'enable key':
      default:
        return this.#manageApiKey(deed.do);
    }
  }

  // What is asked of the service.

  async #send(request: ModelRequest, isRepeated = false): Promise<ParsedResponse> {
    const { company } = this.#model;
    const { procedure: name, method, path, input, pathField: inPath, headers = {} } = request;
    const claims = this.#step.claimsOtherCompany ? { 'X-Company-Id': String(this.#otherModel.company.id) } : {};
    if (this.#step.transport === 'tRPC') {
      const asked = trpcCall(findProcedure(name), JSON.stringify(input));
      const answer = await this.#oracle.sendAndCheck({ ...asked, headers: claims }, { company, key: this.#key });
      return { response: answer, data: Reflect.get(Object(Reflect.get(Object(answer.body), 'result')), 'data') };
    }
    const rest = Object.fromEntries(Object.entries(input).filter(([field]) => field !== inPath));
    const asked: HttpRequest =
      method === 'GET' || method === 'DELETE' ? { method, path: withQuery(path, rest) } : { method, path, body: rest };
    const all = { ...claims, ...headers };
    const answer = await this.#oracle.sendAndCheck({ ...asked, headers: all }, { company, key: this.#key }, isRepeated);
    return { response: answer, data: answer.body };
  }

  /**
   * Sends a change; twice, where it has an Idempotency-Key and succeeds.
   * @param predicted statuses of which any may be the answer; none where it succeeds
   * @returns nothing where it was refused or is given again
   */
  async #sendChange(
    request: ModelRequest,
    success: number,
    predicted: readonly number[],
  ): Promise<ParsedResponse | undefined> {
    const { idempotencyKey: once, transport: road } = this.#step;
    const name = once === undefined || road === 'tRPC' ? undefined : `once ${once}`;
    const place = `${this.#key.uniqueId} ${name}`;
    const said = JSON.stringify([request.procedure, request.input, request.headers]);
    const known = name === undefined ? undefined : this.#model.replayableResponses.get(place);
    const asked = name === undefined ? request : withHeader(request, 'Idempotency-Key', name);
    // Who may not do it at all is told so first; what is known is given again, and what is another request is refused.
    const isLocked = predicted.some((status) => status === 401 || (status === 403 && this.#isDenied(request)));
    if (known !== undefined && !isLocked) {
      if (known.request === said) return this.#expectReplay(asked, known.status, known.text);
      const { response: answer } = await this.#send(asked, true);
      this.#assert(
        [422, ...predicted.filter((status) => status === 400)].includes(answer.status),
        answer,
        'another request',
      );
      return undefined;
    }
    const answered = await this.#send(asked);
    const { response: answer } = answered;
    const statuses = predicted.length > 0 ? predicted : [road === 'tRPC' ? 200 : success];
    this.#assert(statuses.includes(answer.status), answer, `one of ${statuses.join(', ')}`);
    if (predicted.length > 0) return undefined;
    if (name !== undefined) {
      this.#model.replayableResponses.set(place, { request: said, status: answer.status, text: answer.text });
      await this.#expectReplay(asked, answer.status, answer.text);
    }
    return answered;
  }

  async #expectReplay(request: ModelRequest, status: number, text: string): Promise<undefined> {
    const { response: answer } = await this.#send(request, true);
    const isSame = answer.status === status && answer.text === text;
    this.#assert(
      isSame && answer.headers['idempotency-replayed'] === 'true',
      answer,
      `the same again: ${status} ${text}`,
    );
    return undefined;
  }

  /** Sends a question, whose answer is 200 where nothing else is predicted. */
  async #sendRead(request: ModelRequest, predicted: readonly number[]): Promise<ParsedResponse | undefined> {
    const answered = await this.#send(request);
    const statuses = predicted.length > 0 ? predicted : [200];
    this.#assert(statuses.includes(answered.response.status), answered.response, `one of ${statuses.join(', ')}`);
    return predicted.length > 0 ? undefined : answered;
  }

  #assert(isSo: boolean, { status, text }: Pick<HttpResponse, 'status' | 'text'>, predicted: string): void {
    if (isSo) return;
    const step = JSON.stringify(this.#step);
    throw new Finding('unexpected response', `${status} ${text.slice(0, 2000)}\nand not ${predicted}\nto ${step}`);
  }

  #assertEqual(actual: unknown, expected: unknown, { response: answer }: ParsedResponse): void {
    this.#assert(isDeepStrictEqual(actual, expected), answer, JSON.stringify(expected));
  }

  // What may be done.

  /** 401 or 403, as far as key and path tell. */
  #deniedStatuses(scope: string, framework?: number): number[] {
    if (this.#model.disabledKeys.has(this.#key)) return [401];
    const { scopes } = this.#key;
    return scopes.includes(scope) && (framework === undefined || this.#frameworkAllowed(framework)) ? [] : [403];
  }

  /** Whether that is so whatever the request is about. */
  #isDenied({ procedure, input }: ModelRequest): boolean {
    const verb = procedure.split('.')[1] ?? '';
    const kind = procedure.split('.')[0] ?? '';
    const scope = `${kind}:${verb === 'delete' ? 'delete' : 'write'}`;
    return (
      this.#deniedStatuses(scope, verb === 'create' && kind === 'task' ? Number(input['framework']) : undefined)
        .length > 0
    );
  }

  #frameworkAllowed(framework: number): boolean {
    const { frameworks } = this.#key;
    return frameworks === null || frameworks.includes(framework);
  }

  #referenceId({ index: no, isOwn }: ReferenceChoice, what: 'frameworks' | 'departments' | 'gaps'): number {
    return (isOwn ? this.#model : this.#otherModel).company[what][no];
  }

  /** A task or vendor that the step names: its own, the next company's, a deleted one, or none. */
  #resourceId(kind: 'task' | 'vendor'): string {
    const { resourceIndex: at, isOwn } = this.#step;
    const { tasks, vendors, deleted: gone } = isOwn ? this.#model : this.#otherModel;
    const there = [...(kind === 'task' ? tasks : vendors).keys()];
    const left = [...gone].filter(([, framework]) => (framework === undefined) === (kind === 'vendor'));
    if (at === 9) return left.at(-1)?.[0] ?? UNKNOWN_ID;
    return there[at % Math.max(1, there.length)] ?? UNKNOWN_ID;
  }

  #ifMatch(found: { uniqueId: string; version: number } | undefined, match: EntityTagMatch): Record<string, string> {
    if (match === undefined || found === undefined || this.#step.transport === 'tRPC') return {};
    const tag =
      this.#model.entityTagFor(found, match === 'current') ?? (match === 'stale' ? UNKNOWN_ENTITY_TAG : undefined);
    return tag === undefined ? {} : { 'If-Match': tag };
  }

  #recordEntityTag(
    { response: answer }: ParsedResponse,
    { uniqueId: resource, version }: { uniqueId: string; version: number },
  ): void {
    const { etag } = answer.headers;
    if (typeof etag !== 'string') return;
    this.#model.entityTags.unshift({ text: etag, resource, version, renameCount: this.#model.renameCount });
  }

  #recordEvent(action: string, resource: string, changes: Record<string, unknown>, framework?: number): void {
    this.#model.events.push({ action, resource, key: this.#key, framework, changes });
  }

  // Tasks.

  #markedText(kind: string, no: number): string {
    return `${kind} ${no} ${this.#model.company.marker}`;
  }

  #taskInput(wish: TaskStepInput): Record<string, unknown> {
    const day = (no: number | null | undefined) => (typeof no === 'number' ? DAYS[no] : no);
    const { title, description, priority, labels, startDate, dueDate, department, gaps, status } = wish;
    return withoutUndefined({
      // What stands around a title is trimmed.
      title: title === undefined ? undefined : `${title === 3 ? ' \t' : ''}${this.#markedText('Title', title)}`,
      description: description === undefined ? undefined : this.#markedText('R&D', description),
      priority,
      labels: labels?.map((no) => `${LABELS[no]} ${this.#model.company.marker}`),
      startDate: day(startDate),
      dueDate: day(dueDate),
      departmentId: department && this.#referenceId(department, 'departments'),
      gaps: gaps?.map((gap) => this.#referenceId(gap, 'gaps')),
      status,
    });
  }

  /** What breaks a rule, given a task as it was and as it would be. */
  #ruleViolations(before: Pick<TaskModel, 'departmentId' | 'gaps' | 'status'>, after: TaskModel): number[] {
    const { company, archived } = this.#model;
    const { departmentId: department, gaps, startDate, dueDate } = after;
    const own = company.frameworks.indexOf(after.framework);
    const isDepartment = (id: number) => company.departments.includes(id) && !archived.department.has(id);
    const isGap = (id: number) => company.gaps[own] === id && !archived.gap.has(id);
    const isUnprocessable =
      (startDate !== null && dueDate !== null && dueDate < startDate) ||
      (department !== null && department !== before.departmentId && !isDepartment(department)) ||
      new Set(gaps).size < gaps.length ||
      gaps.some((gap) => !before.gaps.includes(gap) && !isGap(gap));
    return [...(isUnprocessable ? [422] : []), ...(canTransition(before.status, after.status) ? [] : [409])];
  }

  async #createTask(choice: ReferenceChoice, wish: TaskStepInput): Promise<void> {
    const framework = this.#referenceId(choice, 'frameworks');
    const given = this.#taskInput(wish);
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
      ...normalize(given),
      status: 'todo',
      createdBy: this.#key,
      updatedBy: this.#key,
      version: 1,
    } satisfies TaskModel;
    const barred = this.#deniedStatuses('task:write', framework);
    const isBroken =
      this.#model.archived.framework.has(framework) ||
      this.#ruleViolations({ ...task, departmentId: null, gaps: [] }, task).length > 0;
    const predicted = barred.length > 0 ? barred : !choice.isOwn ? [404] : isBroken ? [422] : [];
    const path = `/external/task/framework/${framework}/new`;
    const request = {
      procedure: 'task.create',
      method: 'POST',
      path,
      input: { framework, ...given },
      pathField: 'framework',
    };
    const answered = await this.#sendChange(request, 201, predicted);
    if (answered === undefined) return;
    const made = { ...task, uniqueId: String(Reflect.get(Object(answered.data), 'uniqueId')) };
    this.#assertEqual(withoutTimestamps(answered.data), this.#taskOutput(made), answered);
    this.#assert(!this.#model.tasks.has(made.uniqueId), answered.response, 'a new id');
    this.#model.tasks.set(made.uniqueId, made);
    this.#recordEntityTag(answered, made);
    const { title, description, priority, status } = made;
    this.#recordEvent('task.create', made.uniqueId, { title, description, priority, status }, framework);
  }

  async #updateTask(wish: TaskStepInput, match: EntityTagMatch): Promise<void> {
    const uniqueId = this.#resourceId('task');
    const before = this.#model.tasks.get(uniqueId);
    const given = this.#taskInput(wish);
    const after = before && { ...before, ...normalize(given) };
    const headers = this.#ifMatch(before, match);
    const barred = this.#deniedStatuses('task:write', before?.framework);
    const lost = before === undefined ? [404] : [];
    const broken = before && after ? this.#ruleViolations(before, after) : [];
    const unmatched = headers['If-Match'] !== undefined && match === 'stale' ? [412] : [];
    const predicted = firstNonEmpty(barred, lost, broken, unmatched);
    const path = `/external/task/${uniqueId}/edit`;
    const input = { taskUniqueId: uniqueId, ...given };
    const request = { procedure: 'task.update', method: 'PATCH', path, input, pathField: 'taskUniqueId', headers };
    const answered = await this.#sendChange(request, 200, predicted);
    if (answered === undefined || before === undefined || after === undefined) return;
    const changes = diffFields(before, after);
    const isChanged = Object.keys(changes).length > 0;
    const now = isChanged ? { ...after, version: before.version + 1, updatedBy: this.#key } : before;
    this.#assertEqual(withoutTimestamps(answered.data), this.#taskOutput(now), answered);
    this.#model.tasks.set(uniqueId, now);
    this.#recordEntityTag(answered, now);
    if (isChanged) this.#recordEvent('task.update', uniqueId, changes, before.framework);
  }

  #taskOutput({ createdBy, updatedBy, ...task }: TaskModel): object {
    return { ...task, createdBy: this.#userOutput(createdBy), updatedBy: this.#userOutput(updatedBy) };
  }

  #userOutput(key: TestKey): object {
    return { uniqueId: key.user, name: this.#model.keyName(key), kind: 'integration' };
  }

  async #listTasks(choice: ReferenceChoice, filter: TaskFilter, limit: number | undefined): Promise<void> {
    const framework = this.#referenceId(choice, 'frameworks');
    const { status, priority, dueBefore, dueAfter } = filter;
    const label = filter.label === undefined ? undefined : `${LABELS[filter.label]} ${this.#model.company.marker}`;
    const q = filter.q === undefined ? undefined : `tItLe ${filter.q} `;
    const departmentId = filter.department && this.#referenceId(filter.department, 'departments');
    const [until, since] = [dueBefore, dueAfter].map((no) => (no === undefined ? undefined : DAYS[no]));
    const input = {
      framework,
      ...withoutUndefined({ status, priority, label, departmentId, dueBefore: until, dueAfter: since, q, limit }),
    };
    const found = [...this.#model.tasks.values()]
      .filter(
        (task) =>
          task.framework === framework &&
          (status === undefined || task.status === status) &&
          (priority === undefined || task.priority === priority) &&
          (label === undefined || task.labels.some((one) => one.toLowerCase() === label.toLowerCase())) &&
          (departmentId === undefined || task.departmentId === departmentId) &&
          (until === undefined || (task.dueDate !== null && task.dueDate <= until)) &&
          (since === undefined || (task.dueDate !== null && task.dueDate >= since)) &&
          (q === undefined || task.title.toLowerCase().includes(q.toLowerCase().trim())),
      )
      .toReversed();
    const predicted = firstNonEmpty(this.#deniedStatuses('task:read', framework), choice.isOwn ? [] : [404]);
    const path = `/external/task/framework/${framework}/list`;
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const asked = { ...input, ...(cursor !== undefined && { cursor }) };
      const request = { procedure: 'task.list', method: 'GET', path, input: asked, pathField: 'framework' };
      const answered = await this.#sendRead(request, predicted);
      if (answered === undefined) return;
      const { total, items, nextCursor = null } = Object(answered.data) as Record<string, unknown>;
      this.#assert(total === found.length, answered.response, `a total of ${found.length}`);
      this.#assert(Array.isArray(items) === (limit !== undefined), answered.response, 'items where a limit is given');
      if (Array.isArray(items)) seen.push(...items.map(withoutTimestamps));
      cursor = nextCursor ?? undefined;
      const soFar = found.slice(0, seen.length).map((task) => this.#taskOutput(task));
      this.#assertEqual(seen, soFar, answered);
      this.#assert(
        cursor !== undefined || limit === undefined || seen.length === found.length,
        answered.response,
        'all of them',
      );
    } while (cursor !== undefined);
  }

  // Vendors.

  #vendorInput({ name, description, active, status }: VendorStepInput): Record<string, unknown> {
    return withoutUndefined({
      name: name === undefined ? undefined : `${this.#markedText('Vendor', name)}${name === 3 ? '\n' : ''}`,
      description: description === undefined ? undefined : this.#markedText('<p>Of', description).concat('</p>'),
      active,
      status,
    });
  }

  async #createVendor(wish: VendorStepInput): Promise<void> {
    const given = this.#vendorInput(wish);
    const { active = true, ...fields } = { description: '', name: '', ...normalize(given) } as VendorModel & {
      active?: boolean;
    };
    const request = { procedure: 'vendor.create', method: 'POST', path: `${VENDORS}/new`, input: given };
    const answered = await this.#sendChange(request, 201, this.#deniedStatuses('vendor:write'));
    if (answered === undefined) return;
    const uniqueId = String(Reflect.get(Object(answered.data), 'uniqueId'));
    const status = active ? 'active' : 'inactive';
    const made: VendorModel = { ...fields, uniqueId, status, createdBy: this.#key, updatedBy: this.#key, version: 1 };
    this.#assertEqual(withoutTimestamps(answered.data), this.#vendorOutput(made), answered);
    this.#assert(!this.#model.vendors.has(uniqueId), answered.response, 'a new id');
    this.#model.vendors.set(uniqueId, made);
    this.#recordEntityTag(answered, made);
    this.#recordEvent('vendor.create', uniqueId, { name: made.name, description: made.description, status });
  }

  async #updateVendor(wish: VendorStepInput, match: EntityTagMatch, isShown: boolean): Promise<void> {
    const uniqueId = this.#resourceId('vendor');
    const before = this.#model.vendors.get(uniqueId);
    const given = this.#vendorInput(wish);
    const { active, status, ...fields } = normalize(given) as VendorStepInput & Partial<VendorModel>;
    const contradicts = active !== undefined && status !== undefined && active !== (status === 'active');
    const headers = this.#ifMatch(before, match);
    const predicted = firstNonEmpty(
      this.#deniedStatuses('vendor:write'),
      contradicts ? [400] : [],
      before === undefined ? [404] : [],
      headers['If-Match'] !== undefined && match === 'stale' ? [412] : [],
    );
    const shows = isShown && this.#step.transport === 'REST';
    const request = {
      procedure: isShown ? 'vendor.updateAndGet' : 'vendor.update',
      method: 'PATCH',
      path: `${VENDORS}/${uniqueId}/edit`,
      input: { vendor: uniqueId, ...given },
      pathField: 'vendor',
      headers: { ...headers, ...(shows && { Prefer: 'return=representation' }) },
    };
    const answered = await this.#sendChange(request, isShown ? 200 : 204, predicted);
    if (answered === undefined || before === undefined) return;
    const told = nextVendorStatus(before.status, withoutUndefined({ active, status }));
    const after: VendorModel = { ...before, ...fields, status: told };
    const changes = diffFields(before, after);
    const isChanged = Object.keys(changes).length > 0;
    const now = isChanged ? { ...after, version: before.version + 1, updatedBy: this.#key } : before;
    if (isShown) this.#assertEqual(withoutTimestamps(answered.data), this.#vendorOutput(now), answered);
    this.#model.vendors.set(uniqueId, now);
    this.#recordEntityTag(answered, now);
    if (isChanged) this.#recordEvent('vendor.update', uniqueId, changes);
  }

  #vendorOutput({ createdBy, updatedBy, ...vendor }: VendorModel): object {
    const active = vendor.status === 'active';
    return { ...vendor, active, createdBy: this.#userOutput(createdBy), updatedBy: this.#userOutput(updatedBy) };
  }

  async #listVendors(
    status: string | undefined,
    limit: number | undefined,
    from: 'own' | 'foreign' | undefined,
  ): Promise<void> {
    const barred = this.#deniedStatuses('vendor:read');
    const elsewhere = from === undefined ? undefined : (from === 'own' ? this.#model : this.#otherModel).vendorCursor;
    const isPaged = this.#step.transport === 'tRPC' || limit !== undefined;
    const ask = (given: object, predicted: number[]) => {
      const path = `${VENDORS}/list`;
      return this.#sendRead(
        { procedure: 'vendor.page', method: 'GET', path, input: withoutUndefined({ ...given }) },
        predicted,
      );
    };
    const of = ({ response: answer, data }: ParsedResponse) => ({
      items: (Array.isArray(data) ? data : Reflect.get(Object(data), 'items')) as { uniqueId: string }[],
      next: Array.isArray(data)
        ? cursorFromLink(answer.headers['link'])
        : (Reflect.get(Object(data), 'nextCursor') as string | null),
    });
    if (elsewhere !== undefined) {
      // A cursor is one company's: to another it is no cursor at all.
      const page = await ask({ limit: 100, cursor: elsewhere }, firstNonEmpty(barred, from === 'foreign' ? [400] : []));
      const isOwn = page === undefined || of(page).items.every(({ uniqueId }) => this.#model.vendors.has(uniqueId));
      if (page !== undefined) this.#assert(isOwn, page.response, 'vendors of its own');
      return;
    }
    const found = [...this.#model.vendors.values()]
      .filter((vendor) => status === undefined || vendor.status === status)
      .map(({ uniqueId, name, status: is }) => ({ uniqueId, name, status: is }))
      .toSorted((one, other) => (one.name + one.uniqueId < other.name + other.uniqueId ? -1 : 1));
    const seen: unknown[] = [];
    let cursor: string | null | undefined;
    do {
      const answered = await ask({ status, limit, cursor }, barred);
      if (answered === undefined) return;
      const { items, next } = of(answered);
      seen.push(...items);
      this.#assertEqual(seen, found.slice(0, seen.length), answered);
      cursor = isPaged ? next : null;
      if (typeof cursor === 'string' && status === undefined) this.#model.vendorCursor = cursor;
      this.#assert(typeof cursor === 'string' || seen.length === found.length, answered.response, 'all of them');
    } while (typeof cursor === 'string');
  }

  // Both.

  #findResource(kind: 'task' | 'vendor', uniqueId: string): TaskModel | VendorModel | undefined {
    return kind === 'task' ? this.#model.tasks.get(uniqueId) : this.#model.vendors.get(uniqueId);
  }

  #resourceRequest(kind: 'task' | 'vendor', verb: string, method: string, uniqueId: string): ModelRequest {
    const inPath = kind === 'task' ? 'taskUniqueId' : 'vendor';
    const place = { get: 'item', history: 'history', delete: 'delete' }[verb] ?? '';
    const path = `${kind === 'task' ? '/external/task' : VENDORS}/${uniqueId}/${place}`;
    return { procedure: `${kind}.${verb}`, method, path, input: { [inPath]: uniqueId }, pathField: inPath };
  }

  async #get(kind: 'task' | 'vendor'): Promise<void> {
    const uniqueId = this.#resourceId(kind);
    const found = this.#findResource(kind, uniqueId);
    const framework = kind === 'task' ? this.#model.tasks.get(uniqueId)?.framework : undefined;
    const predicted = firstNonEmpty(this.#deniedStatuses(`${kind}:read`, framework), found === undefined ? [404] : []);
    const answered = await this.#sendRead(this.#resourceRequest(kind, 'get', 'GET', uniqueId), predicted);
    if (answered === undefined || found === undefined) return;
    const shown = 'title' in found ? this.#taskOutput(found) : this.#vendorOutput(found);
    this.#assertEqual(withoutTimestamps(answered.data), shown, answered);
    this.#recordEntityTag(answered, found);
  }

  async #delete(kind: 'task' | 'vendor', match: EntityTagMatch): Promise<void> {
    const uniqueId = this.#resourceId(kind);
    const found = this.#findResource(kind, uniqueId);
    const framework = kind === 'task' ? this.#model.tasks.get(uniqueId)?.framework : undefined;
    const headers = this.#ifMatch(found, match);
    const predicted = firstNonEmpty(
      this.#deniedStatuses(`${kind}:delete`, framework),
      found === undefined ? [404] : [],
      headers['If-Match'] !== undefined && match === 'stale' ? [412] : [],
    );
    const request = { ...this.#resourceRequest(kind, 'delete', 'DELETE', uniqueId), headers };
    const answered = await this.#sendChange(request, 204, predicted);
    if (answered === undefined || found === undefined) return;
    (kind === 'task' ? this.#model.tasks : this.#model.vendors).delete(uniqueId);
    this.#model.deleted.set(uniqueId, framework);
    const last = 'title' in found ? { title: found.title, status: found.status } : { name: found.name };
    this.#recordEvent(`${kind}.delete`, uniqueId, last, framework);
  }

  async #history(kind: 'task' | 'vendor'): Promise<void> {
    const uniqueId = this.#resourceId(kind);
    const framework = this.#model.tasks.get(uniqueId)?.framework ?? this.#model.deleted.get(uniqueId);
    const events = this.#model.events.filter(({ resource }) => resource === uniqueId);
    const predicted = firstNonEmpty(this.#deniedStatuses('audit:read', framework), events.length === 0 ? [404] : []);
    const answered = await this.#sendRead(this.#resourceRequest(kind, 'history', 'GET', uniqueId), predicted);
    if (answered !== undefined) this.#assertEvents(answered, events);
  }

  async #listAuditLog(kind: 'task' | 'vendor'): Promise<void> {
    const input = { resourceType: kind, limit: 100 };
    const request = { procedure: 'audit.list', method: 'GET', path: '/external/audit/list', input };
    const answered = await this.#sendRead(request, this.#deniedStatuses('audit:read'));
    const events = this.#model.events.filter(
      ({ action, framework }) =>
        action.startsWith(`${kind}.`) && (framework === undefined || this.#frameworkAllowed(framework)),
    );
    if (answered !== undefined) this.#assertEvents(answered, events);
  }

  /** Each of these events and no other, the newest first. */
  #assertEvents(answered: ParsedResponse, events: CompanyModel['events']): void {
    const items = Reflect.get(Object(answered.data), 'items') as Record<string, unknown>[];
    const told = items.map(({ action, actor, apiKey, resource, changes }, no) => {
      const expected = events.at(-1 - no);
      const all = Object(changes) as Record<string, unknown>;
      const isUpdate = expected?.action.endsWith('.update') === true;
      const some = isUpdate ? all : pickFields(all, Object.keys(expected?.changes ?? {}));
      return { action, actor, apiKey, resource: Reflect.get(Object(resource), 'uniqueId') as unknown, changes: some };
    });
    const expected = events.toReversed().map(({ action, key, resource, changes }) => ({
      action,
      actor: key && this.#userOutput(key),
      apiKey: key?.uniqueId,
      resource,
      changes,
    }));
    this.#assertEqual(told, expected, answered);
  }

  // What the operator does for the company.

  async #callManagement(procedure: string, input: object, predicted: number): Promise<boolean> {
    const { company } = this.#model;
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(company.id) };
    const asked = { method: 'POST', path: `/trpc/management.${procedure}`, headers, body: input };
    const answer = await this.#oracle.sendAndCheck(asked, { company, key: undefined });
    this.#assert(answer.status === predicted, answer, String(predicted));
    return predicted === 200;
  }

  async #manageReferenceData(
    verb: 'archive' | 'rename',
    what: 'framework' | 'department' | 'gap',
    which: ReferenceChoice,
  ): Promise<void> {
    const id = this.#referenceId(which, `${what}s`);
    const name = this.#markedText(what, this.#step.resourceIndex);
    const renamed = what === 'gap' ? { title: name } : { name };
    const input = { id, ...(verb === 'rename' && renamed) };
    const isDone = await this.#callManagement(`${what}.${verb}`, input, which.isOwn ? 200 : 404);
    if (isDone && verb === 'archive') this.#model.archived[what].add(id);
  }

  async #manageApiKey(deed: 'rename key' | 'disable key' | 'enable key'): Promise<void> {
    const { isOwn, key: which, resourceIndex: at } = this.#step;
    const key = (isOwn ? this.#model : this.#otherModel).company.keys[which];
    const name = this.#markedText('Key', at);
    const wish = deed === 'rename key' ? { name } : { enabled: deed === 'enable key' };
    const isDone = await this.#callManagement('apiKey.update', { uniqueId: key.uniqueId, ...wish }, isOwn ? 200 : 404);
    if (!isDone) return;
    if (deed === 'rename key') this.#model.renameKey(key, name);
    else if (deed === 'enable key') this.#model.disabledKeys.delete(key);
    else this.#model.disabledKeys.add(key);
  }
}

/** The first of the lists that is not empty: what is checked first is told. */
const firstNonEmpty = (...predicted: number[][]): number[] => predicted.find((statuses) => statuses.length > 0) ?? [];

const withoutUndefined = <T extends object>(fields: T): { [Field in keyof T]: Exclude<T[Field], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const pickFields = (from: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, from[name]]));

/** Given fields as they are kept. */
function normalize(given: Record<string, unknown>): Record<string, unknown> {
  const { labels } = given;
  return {
    ...given,
    ...Object.fromEntries(
      ['title', 'name'].flatMap((field) => (field in given ? [[field, String(given[field]).trim()]] : [])),
    ),
    ...(Array.isArray(labels) && { labels: dedupeLabels(labels.map(String)) }),
  };
}

/** Times are the service's own; they are only looked at for being told. */
function withoutTimestamps(shown: unknown): object {
  const { createdAt, updatedAt, ...rest } = Object(shown) as Record<string, unknown>;
  if (typeof createdAt !== 'string' || typeof updatedAt !== 'string' || createdAt > updatedAt)
    throw new Finding('unexpected response', `times of ${JSON.stringify(shown)}`);
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
  const found = PROCEDURES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no procedure ${name}`);
  return found;
}
