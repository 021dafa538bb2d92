import { isDeepStrictEqual } from 'node:util';
import type { Answer, Asked } from './ask.ts';
import type { Key } from './companies.ts';
import { Finding } from './finding.ts';
import { changesBetween, mayBecome, vendorStatus, withoutRepeats } from './model.ts';
import type { CompanyModel, TaskModel, VendorModel } from './model.ts';
import type { Oracle } from './oracle.ts';
import { PROCEDURES, call } from './procedures.ts';
import { OPERATOR_TOKEN } from './service.ts';
import type { Choice, Match, Step, TaskFilter, TaskWish, VendorWish } from './steps.ts';

const VENDORS = '/external/smart-inventory/vendor';
/** The id of nothing. */
const NOBODY = '01a1fe13-fee2-72ec-b233-f0bb12ac1b53';
/** A tag that nothing has. */
const NO_TAG = '"1-no"';
const LABELS = ['red', 'Red', 'blue', 'green', 'BLUE', 'ünïcode'];
const DAYS = ['2026-01-31', '2026-02-28', '2026-12-01', '2999-12-31'];

/** The same request, as either road takes it. */
interface Request {
  procedure: string;
  method: string;
  path: string;
  /** All that it says, over tRPC. */
  input: Record<string, unknown>;
  /** What of that is in the path. */
  inPath?: string;
  headers?: Record<string, string>;
}

interface Answered {
  answer: Answer;
  /** What it holds, without what wraps it. */
  data: unknown;
}

/** One company's turn: asks, and holds what is answered against what the model makes of it. */
export class Turn {
  readonly #oracle: Oracle;
  readonly #own: CompanyModel;
  readonly #next: CompanyModel;
  readonly #step: Step;
  readonly #key: Key;

  constructor(oracle: Oracle, models: readonly CompanyModel[], step: Step) {
    const own = models[step.company];
    const next = models[(step.company + 1) % models.length];
    if (own === undefined || next === undefined) throw new Error('a turn needs companies');
    this.#oracle = oracle;
    this.#own = own;
    this.#next = next;
    this.#step = step;
    this.#key = own.company.keys[step.key];
  }

  /** @throws Finding where anything is not as predicted */
  async take(): Promise<void> {
    const { deed } = this.#step;
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
      case 'trail':
        return this.#trail(deed.of);
      case 'archive':
      case 'rename':
        return this.#manageReference(deed.do, deed.what, deed.which);
      case 'rename key':
      case 'disable key':
      case 'enable key':
      default:
        return this.#manageKey(deed.do);
    }
  }

  // What is asked of the service.

  async #ask(request: Request, isRepeated = false): Promise<Answered> {
    const { company } = this.#own;
    const { procedure: name, method, path, input, inPath, headers = {} } = request;
    const claims = this.#step.claims ? { 'X-Company-Id': String(this.#next.company.id) } : {};
    if (this.#step.road === 'tRPC') {
      const asked = call(find(name), JSON.stringify(input));
      const answer = await this.#oracle.ask({ ...asked, headers: claims }, { company, key: this.#key });
      return { answer, data: Reflect.get(Object(Reflect.get(Object(answer.body), 'result')), 'data') };
    }
    const rest = Object.fromEntries(Object.entries(input).filter(([field]) => field !== inPath));
    const asked: Asked =
      method === 'GET' || method === 'DELETE' ? { method, path: withQuery(path, rest) } : { method, path, body: rest };
    const all = { ...claims, ...headers };
    const answer = await this.#oracle.ask({ ...asked, headers: all }, { company, key: this.#key }, isRepeated);
    return { answer, data: answer.body };
  }

  /**
   * Sends a change; twice, where it has an Idempotency-Key and succeeds.
   * @param predicted statuses of which any may be the answer; none where it succeeds
   * @returns nothing where it was refused or is given again
   */
  async #change(request: Request, success: number, predicted: readonly number[]): Promise<Answered | undefined> {
    const { once, road } = this.#step;
    const name = once === undefined || road === 'tRPC' ? undefined : `once ${once}`;
    const place = `${this.#key.uniqueId} ${name}`;
    const said = JSON.stringify([request.procedure, request.input, request.headers]);
    const known = name === undefined ? undefined : this.#own.answers.get(place);
    const asked = name === undefined ? request : withHeader(request, 'Idempotency-Key', name);
    // Who may not do it at all is told so first; what is known is given again, and what is another request is refused.
    const isLocked = predicted.some((status) => status === 401 || (status === 403 && this.#isBarred(request)));
    if (known !== undefined && !isLocked) {
      if (known.request === said) return this.#again(asked, known.status, known.text);
      const { answer } = await this.#ask(asked, true);
      this.#must(
        [422, ...predicted.filter((status) => status === 400)].includes(answer.status),
        answer,
        'another request',
      );
      return undefined;
    }
    const answered = await this.#ask(asked);
    const { answer } = answered;
    const statuses = predicted.length > 0 ? predicted : [road === 'tRPC' ? 200 : success];
    this.#must(statuses.includes(answer.status), answer, `one of ${statuses.join(', ')}`);
    if (predicted.length > 0) return undefined;
    if (name !== undefined) {
      this.#own.answers.set(place, { request: said, status: answer.status, text: answer.text });
      await this.#again(asked, answer.status, answer.text);
    }
    return answered;
  }

  async #again(request: Request, status: number, text: string): Promise<undefined> {
    const { answer } = await this.#ask(request, true);
    const isSame = answer.status === status && answer.text === text;
    this.#must(
      isSame && answer.headers['idempotency-replayed'] === 'true',
      answer,
      `the same again: ${status} ${text}`,
    );
    return undefined;
  }

  /** Sends a question, whose answer is 200 where nothing else is predicted. */
  async #read(request: Request, predicted: readonly number[]): Promise<Answered | undefined> {
    const answered = await this.#ask(request);
    const statuses = predicted.length > 0 ? predicted : [200];
    this.#must(statuses.includes(answered.answer.status), answered.answer, `one of ${statuses.join(', ')}`);
    return predicted.length > 0 ? undefined : answered;
  }

  #must(isSo: boolean, { status, text }: Pick<Answer, 'status' | 'text'>, predicted: string): void {
    if (isSo) return;
    const step = JSON.stringify(this.#step);
    throw new Finding('not as predicted', `${status} ${text.slice(0, 2000)}\nand not ${predicted}\nto ${step}`);
  }

  #mustBe(actual: unknown, expected: unknown, { answer }: Answered): void {
    this.#must(isDeepStrictEqual(actual, expected), answer, JSON.stringify(expected));
  }

  // What may be done.

  /** 401 or 403, as far as key and path tell. */
  #barred(scope: string, framework?: number): number[] {
    if (this.#own.disabled.has(this.#key)) return [401];
    const { scopes } = this.#key;
    return scopes.includes(scope) && (framework === undefined || this.#mayTouch(framework)) ? [] : [403];
  }

  /** Whether that is so whatever the request is about. */
  #isBarred({ procedure, input }: Request): boolean {
    const verb = procedure.split('.')[1] ?? '';
    const kind = procedure.split('.')[0] ?? '';
    const scope = `${kind}:${verb === 'delete' ? 'delete' : 'write'}`;
    return (
      this.#barred(scope, verb === 'create' && kind === 'task' ? Number(input['framework']) : undefined).length > 0
    );
  }

  #mayTouch(framework: number): boolean {
    const { frameworks } = this.#key;
    return frameworks === null || frameworks.includes(framework);
  }

  #idOf({ no, isOwn }: Choice, what: 'frameworks' | 'departments' | 'gaps'): number {
    return (isOwn ? this.#own : this.#next).company[what][no];
  }

  /** A task or vendor that the step names: its own, the next company's, a deleted one, or none. */
  #idAt(kind: 'task' | 'vendor'): string {
    const { at, isOwn } = this.#step;
    const { tasks, vendors, gone } = isOwn ? this.#own : this.#next;
    const there = [...(kind === 'task' ? tasks : vendors).keys()];
    const left = [...gone].filter(([, framework]) => (framework === undefined) === (kind === 'vendor'));
    if (at === 9) return left.at(-1)?.[0] ?? NOBODY;
    return there[at % Math.max(1, there.length)] ?? NOBODY;
  }

  #tag(found: { uniqueId: string; version: number } | undefined, match: Match): Record<string, string> {
    if (match === undefined || found === undefined || this.#step.road === 'tRPC') return {};
    const tag = this.#own.tagOf(found, match === 'right') ?? (match === 'old' ? NO_TAG : undefined);
    return tag === undefined ? {} : { 'If-Match': tag };
  }

  #remember({ answer }: Answered, { uniqueId: resource, version }: { uniqueId: string; version: number }): void {
    const { etag } = answer.headers;
    if (typeof etag !== 'string') return;
    this.#own.tags.unshift({ text: etag, resource, version, renamings: this.#own.renamings });
  }

  #log(action: string, resource: string, changes: Record<string, unknown>, framework?: number): void {
    this.#own.events.push({ action, resource, key: this.#key, framework, changes });
  }

  // Tasks.

  #text(kind: string, no: number): string {
    return `${kind} ${no} ${this.#own.company.marker}`;
  }

  #taskInput(wish: TaskWish): Record<string, unknown> {
    const day = (no: number | null | undefined) => (typeof no === 'number' ? DAYS[no] : no);
    const { title, description, priority, labels, startDate, dueDate, department, gaps, status } = wish;
    return defined({
      // What stands around a title is trimmed.
      title: title === undefined ? undefined : `${title === 3 ? ' \t' : ''}${this.#text('Title', title)}`,
      description: description === undefined ? undefined : this.#text('R&D', description),
      priority,
      labels: labels?.map((no) => `${LABELS[no]} ${this.#own.company.marker}`),
      startDate: day(startDate),
      dueDate: day(dueDate),
      departmentId: department && this.#idOf(department, 'departments'),
      gaps: gaps?.map((gap) => this.#idOf(gap, 'gaps')),
      status,
    });
  }

  /** What breaks a rule, given a task as it was and as it would be. */
  #broken(before: Pick<TaskModel, 'departmentId' | 'gaps' | 'status'>, after: TaskModel): number[] {
    const { company, archived } = this.#own;
    const { departmentId: department, gaps, startDate, dueDate } = after;
    const own = company.frameworks.indexOf(after.framework);
    const isDepartment = (id: number) => company.departments.includes(id) && !archived.department.has(id);
    const isGap = (id: number) => company.gaps[own] === id && !archived.gap.has(id);
    const isUnprocessable =
      (startDate !== null && dueDate !== null && dueDate < startDate) ||
      (department !== null && department !== before.departmentId && !isDepartment(department)) ||
      new Set(gaps).size < gaps.length ||
      gaps.some((gap) => !before.gaps.includes(gap) && !isGap(gap));
    return [...(isUnprocessable ? [422] : []), ...(mayBecome(before.status, after.status) ? [] : [409])];
  }

  async #createTask(choice: Choice, wish: TaskWish): Promise<void> {
    const framework = this.#idOf(choice, 'frameworks');
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
      ...normal(given),
      status: 'todo',
      createdBy: this.#key,
      updatedBy: this.#key,
      version: 1,
    } satisfies TaskModel;
    const barred = this.#barred('task:write', framework);
    const isBroken =
      this.#own.archived.framework.has(framework) ||
      this.#broken({ ...task, departmentId: null, gaps: [] }, task).length > 0;
    const predicted = barred.length > 0 ? barred : !choice.isOwn ? [404] : isBroken ? [422] : [];
    const path = `/external/task/framework/${framework}/new`;
    const request = {
      procedure: 'task.create',
      method: 'POST',
      path,
      input: { framework, ...given },
      inPath: 'framework',
    };
    const answered = await this.#change(request, 201, predicted);
    if (answered === undefined) return;
    const made = { ...task, uniqueId: String(Reflect.get(Object(answered.data), 'uniqueId')) };
    this.#mustBe(withoutTimes(answered.data), this.#shownTask(made), answered);
    this.#must(!this.#own.tasks.has(made.uniqueId), answered.answer, 'a new id');
    this.#own.tasks.set(made.uniqueId, made);
    this.#remember(answered, made);
    const { title, description, priority, status } = made;
    this.#log('task.create', made.uniqueId, { title, description, priority, status }, framework);
  }

  async #updateTask(wish: TaskWish, match: Match): Promise<void> {
    const uniqueId = this.#idAt('task');
    const before = this.#own.tasks.get(uniqueId);
    const given = this.#taskInput(wish);
    const after = before && { ...before, ...normal(given) };
    const headers = this.#tag(before, match);
    const barred = this.#barred('task:write', before?.framework);
    const lost = before === undefined ? [404] : [];
    const broken = before && after ? this.#broken(before, after) : [];
    const unmatched = headers['If-Match'] !== undefined && match === 'old' ? [412] : [];
    const predicted = first(barred, lost, broken, unmatched);
    const path = `/external/task/${uniqueId}/edit`;
    const input = { taskUniqueId: uniqueId, ...given };
    const request = { procedure: 'task.update', method: 'PATCH', path, input, inPath: 'taskUniqueId', headers };
    const answered = await this.#change(request, 200, predicted);
    if (answered === undefined || before === undefined || after === undefined) return;
    const changes = changesBetween(before, after);
    const isChanged = Object.keys(changes).length > 0;
    const now = isChanged ? { ...after, version: before.version + 1, updatedBy: this.#key } : before;
    this.#mustBe(withoutTimes(answered.data), this.#shownTask(now), answered);
    this.#own.tasks.set(uniqueId, now);
    this.#remember(answered, now);
    if (isChanged) this.#log('task.update', uniqueId, changes, before.framework);
  }

  #shownTask({ createdBy, updatedBy, ...task }: TaskModel): object {
    return { ...task, createdBy: this.#shownUser(createdBy), updatedBy: this.#shownUser(updatedBy) };
  }

  #shownUser(key: Key): object {
    return { uniqueId: key.user, name: this.#own.nameOf(key), kind: 'integration' };
  }

  async #listTasks(choice: Choice, filter: TaskFilter, limit: number | undefined): Promise<void> {
    const framework = this.#idOf(choice, 'frameworks');
    const { status, priority, dueBefore, dueAfter } = filter;
    const label = filter.label === undefined ? undefined : `${LABELS[filter.label]} ${this.#own.company.marker}`;
    const q = filter.q === undefined ? undefined : `tItLe ${filter.q} `;
    const departmentId = filter.department && this.#idOf(filter.department, 'departments');
    const [until, since] = [dueBefore, dueAfter].map((no) => (no === undefined ? undefined : DAYS[no]));
    const input = {
      framework,
      ...defined({ status, priority, label, departmentId, dueBefore: until, dueAfter: since, q, limit }),
    };
    const found = [...this.#own.tasks.values()]
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
    const predicted = first(this.#barred('task:read', framework), choice.isOwn ? [] : [404]);
    const path = `/external/task/framework/${framework}/list`;
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const asked = { ...input, ...(cursor !== undefined && { cursor }) };
      const request = { procedure: 'task.list', method: 'GET', path, input: asked, inPath: 'framework' };
      const answered = await this.#read(request, predicted);
      if (answered === undefined) return;
      const { total, items, nextCursor = null } = Object(answered.data) as Record<string, unknown>;
      this.#must(total === found.length, answered.answer, `a total of ${found.length}`);
      this.#must(Array.isArray(items) === (limit !== undefined), answered.answer, 'items where a limit is given');
      if (Array.isArray(items)) seen.push(...items.map(withoutTimes));
      cursor = nextCursor ?? undefined;
      const soFar = found.slice(0, seen.length).map((task) => this.#shownTask(task));
      this.#mustBe(seen, soFar, answered);
      this.#must(
        cursor !== undefined || limit === undefined || seen.length === found.length,
        answered.answer,
        'all of them',
      );
    } while (cursor !== undefined);
  }

  // Vendors.

  #vendorInput({ name, description, active, status }: VendorWish): Record<string, unknown> {
    return defined({
      name: name === undefined ? undefined : `${this.#text('Vendor', name)}${name === 3 ? '\n' : ''}`,
      description: description === undefined ? undefined : this.#text('<p>Of', description).concat('</p>'),
      active,
      status,
    });
  }

  async #createVendor(wish: VendorWish): Promise<void> {
    const given = this.#vendorInput(wish);
    const { active = true, ...fields } = { description: '', name: '', ...normal(given) } as VendorModel & {
      active?: boolean;
    };
    const request = { procedure: 'vendor.create', method: 'POST', path: `${VENDORS}/new`, input: given };
    const answered = await this.#change(request, 201, this.#barred('vendor:write'));
    if (answered === undefined) return;
    const uniqueId = String(Reflect.get(Object(answered.data), 'uniqueId'));
    const status = active ? 'active' : 'inactive';
    const made: VendorModel = { ...fields, uniqueId, status, createdBy: this.#key, updatedBy: this.#key, version: 1 };
    this.#mustBe(withoutTimes(answered.data), this.#shownVendor(made), answered);
    this.#must(!this.#own.vendors.has(uniqueId), answered.answer, 'a new id');
    this.#own.vendors.set(uniqueId, made);
    this.#remember(answered, made);
    this.#log('vendor.create', uniqueId, { name: made.name, description: made.description, status });
  }

  async #updateVendor(wish: VendorWish, match: Match, isShown: boolean): Promise<void> {
    const uniqueId = this.#idAt('vendor');
    const before = this.#own.vendors.get(uniqueId);
    const given = this.#vendorInput(wish);
    const { active, status, ...fields } = normal(given) as VendorWish & Partial<VendorModel>;
    const contradicts = active !== undefined && status !== undefined && active !== (status === 'active');
    const headers = this.#tag(before, match);
    const predicted = first(
      this.#barred('vendor:write'),
      contradicts ? [400] : [],
      before === undefined ? [404] : [],
      headers['If-Match'] !== undefined && match === 'old' ? [412] : [],
    );
    const shows = isShown && this.#step.road === 'REST';
    const request = {
      procedure: isShown ? 'vendor.updateAndGet' : 'vendor.update',
      method: 'PATCH',
      path: `${VENDORS}/${uniqueId}/edit`,
      input: { vendor: uniqueId, ...given },
      inPath: 'vendor',
      headers: { ...headers, ...(shows && { Prefer: 'return=representation' }) },
    };
    const answered = await this.#change(request, isShown ? 200 : 204, predicted);
    if (answered === undefined || before === undefined) return;
    const told = vendorStatus(before.status, defined({ active, status }));
    const after: VendorModel = { ...before, ...fields, status: told };
    const changes = changesBetween(before, after);
    const isChanged = Object.keys(changes).length > 0;
    const now = isChanged ? { ...after, version: before.version + 1, updatedBy: this.#key } : before;
    if (isShown) this.#mustBe(withoutTimes(answered.data), this.#shownVendor(now), answered);
    this.#own.vendors.set(uniqueId, now);
    this.#remember(answered, now);
    if (isChanged) this.#log('vendor.update', uniqueId, changes);
  }

  #shownVendor({ createdBy, updatedBy, ...vendor }: VendorModel): object {
    const active = vendor.status === 'active';
    return { ...vendor, active, createdBy: this.#shownUser(createdBy), updatedBy: this.#shownUser(updatedBy) };
  }

  async #listVendors(
    status: string | undefined,
    limit: number | undefined,
    from: 'own' | 'foreign' | undefined,
  ): Promise<void> {
    const barred = this.#barred('vendor:read');
    const elsewhere = from === undefined ? undefined : (from === 'own' ? this.#own : this.#next).cursor;
    const isPaged = this.#step.road === 'tRPC' || limit !== undefined;
    const ask = (given: object, predicted: number[]) => {
      const path = `${VENDORS}/list`;
      return this.#read({ procedure: 'vendor.page', method: 'GET', path, input: defined({ ...given }) }, predicted);
    };
    const of = ({ answer, data }: Answered) => ({
      items: (Array.isArray(data) ? data : Reflect.get(Object(data), 'items')) as { uniqueId: string }[],
      next: Array.isArray(data)
        ? cursorIn(answer.headers['link'])
        : (Reflect.get(Object(data), 'nextCursor') as string | null),
    });
    if (elsewhere !== undefined) {
      // A cursor is one company's: to another it is no cursor at all.
      const page = await ask({ limit: 100, cursor: elsewhere }, first(barred, from === 'foreign' ? [400] : []));
      const isOwn = page === undefined || of(page).items.every(({ uniqueId }) => this.#own.vendors.has(uniqueId));
      if (page !== undefined) this.#must(isOwn, page.answer, 'vendors of its own');
      return;
    }
    const found = [...this.#own.vendors.values()]
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
      this.#mustBe(seen, found.slice(0, seen.length), answered);
      cursor = isPaged ? next : null;
      if (typeof cursor === 'string' && status === undefined) this.#own.cursor = cursor;
      this.#must(typeof cursor === 'string' || seen.length === found.length, answered.answer, 'all of them');
    } while (typeof cursor === 'string');
  }

  // Both.

  #found(kind: 'task' | 'vendor', uniqueId: string): TaskModel | VendorModel | undefined {
    return kind === 'task' ? this.#own.tasks.get(uniqueId) : this.#own.vendors.get(uniqueId);
  }

  #requestOf(kind: 'task' | 'vendor', verb: string, method: string, uniqueId: string): Request {
    const inPath = kind === 'task' ? 'taskUniqueId' : 'vendor';
    const place = { get: 'item', history: 'history', delete: 'delete' }[verb] ?? '';
    const path = `${kind === 'task' ? '/external/task' : VENDORS}/${uniqueId}/${place}`;
    return { procedure: `${kind}.${verb}`, method, path, input: { [inPath]: uniqueId }, inPath };
  }

  async #get(kind: 'task' | 'vendor'): Promise<void> {
    const uniqueId = this.#idAt(kind);
    const found = this.#found(kind, uniqueId);
    const framework = kind === 'task' ? this.#own.tasks.get(uniqueId)?.framework : undefined;
    const predicted = first(this.#barred(`${kind}:read`, framework), found === undefined ? [404] : []);
    const answered = await this.#read(this.#requestOf(kind, 'get', 'GET', uniqueId), predicted);
    if (answered === undefined || found === undefined) return;
    const shown = 'title' in found ? this.#shownTask(found) : this.#shownVendor(found);
    this.#mustBe(withoutTimes(answered.data), shown, answered);
    this.#remember(answered, found);
  }

  async #delete(kind: 'task' | 'vendor', match: Match): Promise<void> {
    const uniqueId = this.#idAt(kind);
    const found = this.#found(kind, uniqueId);
    const framework = kind === 'task' ? this.#own.tasks.get(uniqueId)?.framework : undefined;
    const headers = this.#tag(found, match);
    const predicted = first(
      this.#barred(`${kind}:delete`, framework),
      found === undefined ? [404] : [],
      headers['If-Match'] !== undefined && match === 'old' ? [412] : [],
    );
    const request = { ...this.#requestOf(kind, 'delete', 'DELETE', uniqueId), headers };
    const answered = await this.#change(request, 204, predicted);
    if (answered === undefined || found === undefined) return;
    (kind === 'task' ? this.#own.tasks : this.#own.vendors).delete(uniqueId);
    this.#own.gone.set(uniqueId, framework);
    const last = 'title' in found ? { title: found.title, status: found.status } : { name: found.name };
    this.#log(`${kind}.delete`, uniqueId, last, framework);
  }

  async #history(kind: 'task' | 'vendor'): Promise<void> {
    const uniqueId = this.#idAt(kind);
    const framework = this.#own.tasks.get(uniqueId)?.framework ?? this.#own.gone.get(uniqueId);
    const events = this.#own.events.filter(({ resource }) => resource === uniqueId);
    const predicted = first(this.#barred('audit:read', framework), events.length === 0 ? [404] : []);
    const answered = await this.#read(this.#requestOf(kind, 'history', 'GET', uniqueId), predicted);
    if (answered !== undefined) this.#mustTell(answered, events);
  }

  async #trail(kind: 'task' | 'vendor'): Promise<void> {
    const input = { resourceType: kind, limit: 100 };
    const request = { procedure: 'audit.list', method: 'GET', path: '/external/audit/list', input };
    const answered = await this.#read(request, this.#barred('audit:read'));
    const events = this.#own.events.filter(
      ({ action, framework }) =>
        action.startsWith(`${kind}.`) && (framework === undefined || this.#mayTouch(framework)),
    );
    if (answered !== undefined) this.#mustTell(answered, events);
  }

  /** Each of these events and no other, the newest first. */
  #mustTell(answered: Answered, events: CompanyModel['events']): void {
    const items = Reflect.get(Object(answered.data), 'items') as Record<string, unknown>[];
    const told = items.map(({ action, actor, apiKey, resource, changes }, no) => {
      const expected = events.at(-1 - no);
      const all = Object(changes) as Record<string, unknown>;
      const isUpdate = expected?.action.endsWith('.update') === true;
      const some = isUpdate ? all : pick(all, Object.keys(expected?.changes ?? {}));
      return { action, actor, apiKey, resource: Reflect.get(Object(resource), 'uniqueId') as unknown, changes: some };
    });
    const expected = events.toReversed().map(({ action, key, resource, changes }) => ({
      action,
      actor: key && this.#shownUser(key),
      apiKey: key?.uniqueId,
      resource,
      changes,
    }));
    this.#mustBe(told, expected, answered);
  }

  // What the operator does for the company.

  async #manage(procedure: string, input: object, predicted: number): Promise<boolean> {
    const { company } = this.#own;
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(company.id) };
    const asked = { method: 'POST', path: `/trpc/management.${procedure}`, headers, body: input };
    const answer = await this.#oracle.ask(asked, { company, key: undefined });
    this.#must(answer.status === predicted, answer, String(predicted));
    return predicted === 200;
  }

  async #manageReference(
    verb: 'archive' | 'rename',
    what: 'framework' | 'department' | 'gap',
    which: Choice,
  ): Promise<void> {
    const id = this.#idOf(which, `${what}s`);
    const name = this.#text(what, this.#step.at);
    const renamed = what === 'gap' ? { title: name } : { name };
    const input = { id, ...(verb === 'rename' && renamed) };
    const isDone = await this.#manage(`${what}.${verb}`, input, which.isOwn ? 200 : 404);
    if (isDone && verb === 'archive') this.#own.archived[what].add(id);
  }

  async #manageKey(deed: 'rename key' | 'disable key' | 'enable key'): Promise<void> {
    const { isOwn, key: which, at } = this.#step;
    const key = (isOwn ? this.#own : this.#next).company.keys[which];
    const name = this.#text('Key', at);
    const wish = deed === 'rename key' ? { name } : { enabled: deed === 'enable key' };
    const isDone = await this.#manage('apiKey.update', { uniqueId: key.uniqueId, ...wish }, isOwn ? 200 : 404);
    if (!isDone) return;
    if (deed === 'rename key') this.#own.rename(key, name);
    else if (deed === 'enable key') this.#own.disabled.delete(key);
    else this.#own.disabled.add(key);
  }
}

/** The first of the lists that is not empty: what is checked first is told. */
const first = (...predicted: number[][]): number[] => predicted.find((statuses) => statuses.length > 0) ?? [];

const defined = <T extends object>(fields: T): { [Field in keyof T]: Exclude<T[Field], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const pick = (from: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, from[name]]));

/** Given fields as they are kept. */
function normal(given: Record<string, unknown>): Record<string, unknown> {
  const { labels } = given;
  return {
    ...given,
    ...Object.fromEntries(
      ['title', 'name'].flatMap((field) => (field in given ? [[field, String(given[field]).trim()]] : [])),
    ),
    ...(Array.isArray(labels) && { labels: withoutRepeats(labels.map(String)) }),
  };
}

/** Times are the service's own; they are only looked at for being told. */
function withoutTimes(shown: unknown): object {
  const { createdAt, updatedAt, ...rest } = Object(shown) as Record<string, unknown>;
  if (typeof createdAt !== 'string' || typeof updatedAt !== 'string' || createdAt > updatedAt)
    throw new Finding('not as predicted', `times of ${JSON.stringify(shown)}`);
  return rest;
}

const withHeader = (request: Request, name: string, value: string): Request => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

function withQuery(path: string, fields: Record<string, unknown>): string {
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? path : `${path}?${query}`;
}

const cursorIn = (link: unknown): string | null =>
  typeof link === 'string' ? (/[?&]cursor=([^&>]+)/.exec(link)?.[1] ?? null) : null;

function find(name: string) {
  const found = PROCEDURES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no procedure ${name}`);
  return found;
}
