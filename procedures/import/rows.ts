import { ZodError } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { redactSecrets } from '../../entities/api-key/raw-key.ts';
import { breaksRule } from '../../entities/fields/rules.ts';
import { MAX_NOTE_VALUE_LENGTH, MAX_REASON_LENGTH } from '../../entities/import/import.ts';
import type { RowError } from '../../entities/import/import.ts';
import { findNoted } from '../../entities/import/notes.ts';
import type { RunnableImport } from '../../entities/import/progress.ts';
import { firstFieldOf, formatIssues, oneLine } from '../core/errors.ts';
import { PARENT_REF, valueIn, writeItems } from './for-people.ts';
import { EXTERNAL_ID, KINDS, applyFields, foldedName, isEmpty, keyOf, knownColumns } from './kinds.ts';
import type { Item, RowOutcome } from './kinds.ts';
import { WaitsForOthers } from './outline.ts';
import type { NumberedRow, Outline, StoredNote } from './outline.ts';
import { readCells } from './parsing/cells.ts';
import { fromFormulaText } from './parsing/csv.ts';
import { UNIQUE_ID, quote } from './parsing/file-table.ts';
import type { FileRow, RowFields } from './parsing/file-table.ts';
import { UnusableValue, readValues } from './values.ts';
import { Words } from './words.ts';

/** An error or note about a field of a row, without the place of the row. */
type Finding = Omit<RowError, 'row' | 'line'>;

/** Result of a row. */
export interface RowReport {
  result: RowOutcome['upsert'] | 'skipped' | 'failed' | 'empty' | 'waiting';
  item?: Item;
  error?: Finding;
  /** Notes: values that were left out, the reason why nothing was done, and names that later rows of the file need. */
  notes: StoredNote[];
}

/** A row with its values, whose words are not replaced yet. Undefined for one that cannot be read. */
type ReadRow = NumberedRow & { values: RowFields | undefined };

/** Errors of a row. All others abort the slice, which is repeated. */
export const isRowError = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code !== 'unavailable' && error.code !== 'internal';

/** Applies the rows of a slice. */
export class Rows {
  readonly #session: Session;
  readonly #item: RunnableImport;
  readonly #words: Words;
  /** Objects by name, for rows that would create another one. Null for a name that several have. */
  readonly #named = new Map<string, string | null | undefined>();
  /** Names that earlier slices of a trial gave to objects, which were rolled back. */
  readonly #made = new Set<string>();
  /** The outline of requirements; undefined for other kinds. */
  readonly #outline: Outline | undefined;

  /** @param outline of an import of requirements */
  constructor(session: Session, item: RunnableImport, outline?: Outline) {
    this.#session = session;
    this.#item = item;
    this.#outline = outline;
    this.#words = new Words(KINDS[item.kind].fields, item.framework);
  }

  /** The identity of a row in its file: rows with the same identity keep their order. Undefined if no other row matters to it. */
  identityOf = ({ fields }: FileRow): unknown =>
    fields && ([fields[EXTERNAL_ID], fields[UNIQUE_ID]].find((id) => !isEmpty(id)) ?? this.#nameOf(fields));

  /** The identity of a row that must be applied before another one. */
  parentOf = ({ fields = {} }: FileRow): string | undefined => this.#outline && foldedName(fields[PARENT_REF]);

  /** The name by which a row that would create an object is compared; undefined if it is not. */
  #nameOf(fields: RowFields): string | undefined {
    const { duplicates, kind } = this.#item;
    const name = fields[KINDS[kind].required];
    return duplicates === 'create' || !isEmpty(fields[UNIQUE_ID]) ? undefined : foldedName(name);
  }

  /** Looks up the names of rows that are applied later. */
  async findNames(rows: readonly FileRow[]): Promise<void> {
    const names = rows.flatMap((row) => [this.#nameOf(row.fields ?? {}) ?? [], this.parentOf(row) ?? []].flat());
    const unknown = [...new Set(names)].filter(
      (name) => !this.#named.has(name) && !name.includes('\0') && name.isWellFormed(),
    );
    if (unknown.length === 0) return;
    await this.#outline?.findWaiting(unknown);
    await this.#findMade(unknown);
    const found = await KINDS[this.#item.kind].findByName(this.#session, unknown, this.#item);
    const ids = new Map(found.map(({ name, id }) => [name, id]));
    for (const name of unknown) this.#named.set(name, ids.get(name));
  }

  async #findMade(names: readonly string[]): Promise<void> {
    const { uniqueId, phase } = this.#item;
    if (phase !== 'check' || this.#outline !== undefined) return;
    const found = await this.#session.run(findNoted, { uniqueId, kind: 'made', pass: 0, names });
    for (const { name } of found) this.#made.add(name);
  }

  /**
   * Applies rows whose statements are in flight together on the connection of the transaction. Waits for all of them also
   * after an error that aborts the slice, because no statement may follow the rollback.
   */
  async apply(group: readonly NumberedRow[]): Promise<RowReport[]> {
    const rows = await this.#read(group);
    await this.#words.find(
      this.#session,
      rows.map(({ values }) => values).filter((values) => values !== undefined),
    );
    await this.findNames(group);
    for (const row of group) this.#outline?.number(row, this.#named);
    const settled = await Promise.allSettled(rows.map((row) => this.#applyRow(row)));
    return settled.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  /** Reads the values of rows. A cell that equals what an export for people writes keeps the value of the object, whatever its words mean now. */
  async #read(group: readonly NumberedRow[]): Promise<ReadRow[]> {
    const unchanged = await this.#findUnchanged(group);
    return group.map((row, index) => {
      if (row.fields === undefined) return { ...row, values: undefined };
      const kept = unchanged[index] ?? {};
      const others = Object.fromEntries(Object.entries(row.fields).filter(([name]) => !(name in kept)));
      return { ...row, values: { ...rawValues(this.#item, others), ...kept } };
    });
  }

  /** Values of the cells that equal what an export for people writes for the object of the row. */
  async #findUnchanged(group: readonly FileRow[]): Promise<(RowFields | undefined)[]> {
    const { kind, layout } = this.#item;
    if (layout?.isForPeople !== true) return [];
    const found = await Promise.all(
      group.map(({ fields = {} }) => KINDS[kind].find(this.#session, keyOf(fields), this.#item)),
    );
    const items = found.filter((item) => item !== undefined);
    const written = new Map(
      (await writeItems(this.#session, kind, items)).map((cells, index) => [items[index], cells]),
    );
    return found.map((item, index) => {
      const cells = written.get(item);
      if (item === undefined || cells === undefined) return undefined;
      const fields = Object.entries(group[index]?.fields ?? {});
      const isSame = ([name, cell]: [string, unknown]) =>
        cells.has(name) &&
        typeof cell === 'string' &&
        plain(fromFormulaText(cell, layout.delimiter)) === plain(cells.get(name) ?? '');
      return Object.fromEntries(fields.filter(isSame).map(([name]) => [name, valueIn(item, name)]));
    });
  }

  async #applyRow({ values, error: unreadable, isEmpty: isBlank, ...row }: ReadRow): Promise<RowReport> {
    if (isBlank === true) return { result: 'empty', notes: [] };
    if (values === undefined) return this.#fail(row, new ApiError('invalid_request', unreadable ?? 'expected a row'));
    const notes: RowReport['notes'] = [];
    for (let remaining = values; ;) {
      try {
        const { notes: own, ...report } = await this.#applyValues(remaining, row.number);
        return { ...report, notes: [...notes, ...own] };
      } catch (error) {
        if (!isRowError(error)) throw error;
        if (this.#outline !== undefined && error instanceof WaitsForOthers && this.#item.layout?.isLastPass !== true)
          return { result: 'waiting', notes: [this.#outline.wait(remaining, row.number)] };
        const unusable = this.#unusableIn(error, remaining);
        if (unusable.length === 0) return this.#fail(row, error);
        for (const name of unusable)
          notes.push({ kind: 'warning', number: notes.length, ...toNote(describeError(this.#item, row, error, name)) });
        remaining = Object.fromEntries(Object.entries(remaining).filter(([name]) => !unusable.includes(name)));
      }
    }
  }

  #fail(row: Pick<FileRow, 'fields'>, error: ApiError): RowReport {
    return { result: 'failed', error: describeError(this.#item, row, error), notes: [] };
  }

  /** @throws ApiError for an invalid row, which writes nothing */
  async #applyValues(values: RowFields, number: number): Promise<Pick<RowReport, 'result' | 'item' | 'notes'>> {
    const { kind, duplicates, source, dates, phase } = this.#item;
    const row = this.#words.replace(readValues(KINDS[kind].fields, values, dates));
    if (this.#outline !== undefined) {
      const { upsert: result, item, notes } = await this.#outline.apply(row, number, this.#named);
      const ref = foldedName(row['ref']);
      if (ref !== undefined) this.#named.set(ref, item.uniqueId);
      return { result, item, notes };
    }
    const name = this.#nameOf(row);
    const same = name === undefined ? undefined : this.#named.get(name);
    const isMade = same === undefined && name !== undefined && this.#made.has(name);
    if (same === undefined && !(isMade && duplicates === 'skip')) {
      const { upsert, item } = await applyFields(this.#session, row, this.#item);
      const result = isMade && upsert === 'created' ? 'updated' : upsert;
      if (name !== undefined) this.#named.set(name, item.uniqueId);
      // Its name may have changed meanwhile.
      else if (duplicates !== 'create' && result === 'updated') this.#named.clear();
      const isNoted =
        phase === 'check' && name !== undefined && result === 'created' && name.length <= MAX_NOTE_VALUE_LENGTH;
      const made = { kind: 'made', number: 0, field: null, value: name ?? null, reason: '' } as const;
      return { result, item, notes: isNoted ? [made] : [] };
    }
    const { required } = KINDS[kind];
    if (same === null)
      throw new ApiError('unprocessable', `${required}: expected the ${required} of at most one ${kind}`);
    if (duplicates === 'skip') {
      const reason = `A ${kind} with this ${required} already exists.`;
      return { result: 'skipped', notes: [{ kind: 'skipped', number: 0, field: null, value: null, reason }] };
    }
    if (same === undefined) throw new Error('import: a name was not looked up');
    const { [UNIQUE_ID]: _, [EXTERNAL_ID]: __, ...fields } = row;
    const changed = await KINDS[kind].put(this.#session, same, fields, { ...this.#item, source });
    if (changed === undefined) throw new ApiError('conflict', `${required}: the ${kind} was deleted in the meantime`);
    return { result: changed.upsert, item: changed.item, notes: [] };
  }

  /** Fields of a row that a lenient import leaves out for an error; none if the row stays bad. */
  #unusableIn(error: ApiError, values: RowFields): string[] {
    const { kind, lenient } = this.#item;
    const { imported, required } = KINDS[kind];
    if (!lenient || breaksRule(error)) return [];
    const { cause } = error;
    const isRule =
      cause instanceof ZodError &&
      cause.issues.some((issue) => issue.code === 'custom' && issue.params?.['isRule'] === true);
    const names =
      cause instanceof ZodError ? cause.issues.map(({ path }) => String(path[0] ?? '')) : [columnIn(error) ?? ''];
    const isOptional = (name: string) => imported.includes(name) && name !== required && name in values;
    return !isRule && names.every(isOptional) ? [...new Set(names)] : [];
  }
}

/** Values of the fields of a row, without those that a row cannot set. */
function rawValues(
  item: Pick<RunnableImport, 'kind' | 'format' | 'mode' | 'layout' | 'framework' | 'source'>,
  fields: RowFields,
): RowFields {
  if (item.format === 'csv') return readCells(KINDS[item.kind].types, fields, item.mode, item.layout?.delimiter);
  const { readOnly } = knownColumns(item);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !readOnly.includes(name)));
}

/** Text in a form that is equal for two files that show the same. */
const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();

const toNote = ({ error: reason, ...note }: Finding) => ({ ...note, reason });

/** The field that a message names first. */
const columnIn = ({ message }: ApiError) => /^(\w+): /.exec(message)?.[1];

/**
 * The error of a row, with the value in the file, and the field that its message names first: a column, or an unknown field.
 * @param only the field of which alone it is to be said
 */
function describeError(
  item: RunnableImport,
  { fields = {} }: Pick<FileRow, 'fields'>,
  error: ApiError,
  only?: string,
): Finding {
  const { message, cause } = error;
  const find = (path: readonly PropertyKey[]) => valueAt(item, fields, path);
  if (error instanceof UnusableValue)
    return { field: error.field, value: toValue(error.value), error: toError(message + found(error.value)) };
  if (cause instanceof ZodError) {
    const issues = cause.issues.filter(({ path }) => only === undefined || path[0] === only);
    const shown = only === undefined ? cause : new ZodError(issues);
    const text = formatIssues(shown, (path) => found(find(path)));
    return { field: firstFieldOf(shown) || null, value: toValue(find(issues[0]?.path ?? [])), error: toError(text) };
  }
  const name = columnIn(error);
  const isColumn =
    name !== undefined && (KINDS[item.kind].imported.includes(name) || name === EXTERNAL_ID || name === UNIQUE_ID);
  if (!isColumn) return { field: null, value: null, error: message };
  const value = find([name]);
  return { field: name, value: toValue(value), error: toError(message + found(value)) };
}

/** The end of a message with a value of a file. */
const found = (value: unknown) => (value === undefined || value === '' ? '' : `; found ${quote(value)}`);

/** A value of a file in the form that is stored with a note about it. */
function toValue(value: unknown): string | null {
  if (value === undefined || value === '') return null;
  const text = redactSecrets(typeof value === 'string' ? value : JSON.stringify(value));
  return oneLine(text, MAX_NOTE_VALUE_LENGTH);
}

/** A message in one line, without secrets. */
const toError = (text: string) => oneLine(redactSecrets(text), MAX_REASON_LENGTH);

/** The value that a path leads to: the text of a cell, or a part of the JSON in it. */
function valueAt(item: RunnableImport, fields: RowFields, [column = '', ...rest]: readonly PropertyKey[]): unknown {
  if (column === '') return undefined;
  const row = item.format === 'csv' && rest.length > 0 ? partsOf(item, fields) : fields;
  return [column, ...rest].reduce<unknown>(
    (at, name) => (Object.hasOwn(Object(at), name) ? Reflect.get(Object(at), name) : undefined),
    row,
  );
}

/** The values of cells, with the parts of lists. */
function partsOf(item: RunnableImport, fields: RowFields): RowFields {
  const { kind, dates } = item;
  try {
    return readValues(KINDS[kind].fields, rawValues(item, fields), dates);
  } catch (error) {
    if (error instanceof UnusableValue) return fields;
    throw error;
  }
}
