import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { findNoted, findOutlineOfTrial } from '../../entities/import/notes.ts';
import type { RowNote } from '../../entities/import/notes.ts';
import type { RunnableImport } from '../../entities/import/progress.ts';
import { findMaxPosition, findOutline } from '../../entities/requirement/list.ts';
import { MAX_LEVELS, MAX_POSITION, MAX_REQUIREMENTS } from '../../entities/requirement/requirement.ts';
import { PARENT_REF } from './for-people.ts';
import { foldedName } from './kinds.ts';
import type { Kind, RowOutcome } from './kinds.ts';
import type { FileRow, RowFields } from './parsing/file-table.ts';

// Rows of requirements name the row above them, which may stand after them. Contract, section 27.

/** A note without the place of its row. */
export type StoredNote = Omit<RowNote, 'row' | 'line'>;

/** uniqueIds of requirements by their folded ref; null and undefined for none. */
type Ids = ReadonlyMap<string, string | null | undefined>;

/** A row with its number, from 1 below the header. */
export type NumberedRow = FileRow & { number: number };

type OutlineKind = Pick<Kind, 'create' | 'put'>;

/** Number of times that a file is read: a row may wait for one after it, and that one for another. */
export const MAX_PASSES = MAX_LEVELS + 1;

/** A row that may be applied after others. The last pass says why it cannot be. */
export class WaitsForOthers extends ApiError {
  constructor(message: string) {
    super('unprocessable', message);
  }
}

const noParent = () => new WaitsForOthers(`${PARENT_REF}: expected the ref of a requirement of the framework`);
const noOutline = () =>
  new WaitsForOthers(`${PARENT_REF}: expected an outline of at most ${MAX_LEVELS} levels, without a circle`);

/** Number under which rows are noted that wait for the pass after this one. The passes of a trial have other numbers. */
export const nextPassOf = ({ phase, layout }: Pick<RunnableImport, 'phase' | 'layout'>): number =>
  (phase === 'apply' ? MAX_PASSES : 0) + (layout?.pass ?? 0) + 1;

/**
 * The outline of a framework with the changes by the rows of a trial. The rows are rolled back after each slice, so the database does not
 * know it.
 */
class TrialOutline {
  readonly #parents: Map<string, string | null>;

  private constructor(parents: Map<string, string | null>) {
    this.#parents = parents;
  }

  static async read(session: Session, { uniqueId, framework }: Requirements): Promise<TrialOutline> {
    const [stored, made] = await Promise.all([
      session.run(findOutline, { framework }),
      session.run(findOutlineOfTrial, { uniqueId }),
    ]);
    return new TrialOutline(new Map([...stored, ...made].map(({ ref, parentRef }) => [ref, parentRef])));
  }

  has = (ref: string) => this.#parents.has(ref);
  parentOf = (ref: string) => this.#parents.get(ref) ?? null;

  /** @throws ApiError for a requirement that cannot be there */
  check(ref: string, parent: string | null): void {
    const isNew = !this.has(ref);
    if (isNew && this.#parents.size >= MAX_REQUIREMENTS)
      throw new ApiError(
        'unprocessable',
        `requirement: a framework has at most ${MAX_REQUIREMENTS.toLocaleString('en')} requirements`,
      );
    if (parent === null || parent === this.#parents.get(ref)) return;
    if (!this.has(parent)) throw noParent();
    if (this.#levelsAbove(ref, parent) + (isNew ? 1 : this.#levelsBelow(ref)) > MAX_LEVELS) throw noOutline();
  }

  place(ref: string, parent: string | null): void {
    this.#parents.set(ref, parent);
  }

  /** Infinite in a circle. */
  #levelsAbove(ref: string, parent: string): number {
    let levels = 0;
    for (let above: string | null = parent; above !== null; above = this.parentOf(above)) {
      levels += 1;
      if (above === ref || levels > MAX_LEVELS) return Infinity;
    }
    return levels;
  }

  #levelsBelow(ref: string): number {
    const children = [...this.#parents].filter(([, parent]) => parent === ref);
    return 1 + Math.max(0, ...children.map(([child]) => this.#levelsBelow(child)));
  }
}

/** An import of requirements. */
interface Requirements extends RunnableImport {
  framework: number;
}

/** Result of a row. */
type Outcome = RowOutcome & { notes: StoredNote[] };

/** Applies rows of requirements, which are matched by their ref. It lives as long as a slice. */
export class Outline {
  readonly #session: Session;
  readonly #item: Requirements;
  readonly #kind: OutlineKind;
  /** Undefined if the rows are not rolled back. */
  readonly #trial: TrialOutline | undefined;
  /** Refs of rows that wait for the next pass. */
  readonly #waiting = new Set<string>();
  /** Positions of new rows that do not have their own, by the number of the row. */
  readonly #positions: Map<number, number>;
  #nextPosition: number;

  private constructor(
    session: Session,
    item: Requirements,
    kind: OutlineKind,
    start: { trial: TrialOutline | undefined; nextPosition: number; positions: ReadonlyMap<number, string> },
  ) {
    this.#session = session;
    this.#item = item;
    this.#kind = kind;
    this.#trial = start.trial;
    this.#nextPosition = start.nextPosition;
    this.#positions = new Map(
      [...start.positions].flatMap(([row, position]) => (position === '' ? [] : [[row, Number(position)]])),
    );
  }

  /** @param positions those of rows that have waited, by their number */
  static async open(
    session: Session,
    item: Requirements,
    kind: OutlineKind,
    positions: ReadonlyMap<number, string>,
  ): Promise<Outline> {
    const [trial, nextPosition] = await Promise.all([
      item.phase === 'check' ? TrialOutline.read(session, item) : undefined,
      item.layout?.nextPosition ??
        session.one(findMaxPosition, { framework: item.framework }).then(({ position }) => position + 1),
    ]);
    return new Outline(session, item, kind, { trial, nextPosition, positions });
  }

  get nextPosition(): number {
    return this.#nextPosition;
  }

  /** Looks up which rows have the ref of one that waits. */
  async findWaiting(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const { uniqueId } = this.#item;
    const found = await this.#session.run(findNoted, {
      uniqueId,
      kind: 'waiting',
      pass: nextPassOf(this.#item),
      names,
    });
    for (const { name } of found) this.#waiting.add(name);
  }

  /**
   * Gives a new row without a position the next one, before any row of its group is applied, so that they follow each other as in the
   * file.
   */
  number({ number, fields = {} }: NumberedRow, ids: Ids): void {
    const { format, layout } = this.#item;
    const hasPosition = format === 'csv' ? layout?.columns.includes('position') : 'position' in fields;
    const ref = foldedName(fields['ref']);
    const isKnown = ref === undefined || typeof ids.get(ref) === 'string' || this.#trial?.has(ref) === true;
    if (hasPosition === true || isKnown || this.#positions.has(number)) return;
    this.#positions.set(number, Math.min(this.#nextPosition++, MAX_POSITION));
  }

  /**
   * Applies a row.
   * @param ids uniqueIds of requirements by their folded ref
   * @throws WaitsForOthers for a row that the next pass may apply
   * @throws ApiError for an invalid row, which writes nothing
   */
  async apply({ [PARENT_REF]: given, ...fields }: RowFields, number: number, ids: Ids): Promise<Outcome> {
    if (given !== undefined && given !== null && typeof given !== 'string')
      throw new ApiError('invalid_request', `${PARENT_REF}: expected text, or null`);
    const ref = foldedName(fields['ref']) ?? '';
    // The last row with a ref decides, so it must not go before one that waits.
    if (this.#waiting.has(ref)) throw new WaitsForOthers('ref: expected a row that can be applied before this one');
    const trial = this.#trial;
    const parent = given === undefined ? undefined : (foldedName(given) ?? null);
    const parentId = typeof parent === 'string' ? ids.get(parent) : null;
    const before = trial?.parentOf(ref) ?? null;
    const isKnown = trial?.has(ref) === true;
    if (trial !== undefined) trial.check(ref, parent === undefined ? before : parent);
    else if (typeof parent === 'string' && typeof parentId !== 'string') throw noParent();
    const placed = trial === undefined && parent !== undefined ? { ...fields, parent: parentId } : fields;
    const outcome = await this.#write(ids.get(ref) ?? undefined, placed, number);
    if (trial === undefined) return { ...outcome, notes: [] };
    const after = parent === undefined ? before : parent;
    trial.place(ref, after);
    const isMoved = outcome.upsert === 'unchanged' && after !== before;
    return {
      // Requirements that an earlier slice made no longer exist.
      upsert: isMoved || (isKnown && outcome.upsert === 'created') ? 'updated' : outcome.upsert,
      item: outcome.item,
      notes: [{ kind: 'made', number: 0, field: null, value: ref, reason: after ?? '' }],
    };
  }

  async #write(uniqueId: string | undefined, fields: RowFields, number: number): Promise<RowOutcome> {
    try {
      if (uniqueId === undefined)
        return {
          upsert: 'created',
          item: await this.#kind.create(this.#session, this.#withPosition(fields, number), this.#item),
        };
      const changed = await this.#kind.put(this.#session, uniqueId, fields, this.#item);
      if (changed === undefined) throw new ApiError('conflict', 'ref: the requirement was deleted in the meantime');
      return changed;
    } catch (error) {
      throw error instanceof ApiError && error.message.startsWith('parent: ') ? noOutline() : error;
    }
  }

  #withPosition(fields: RowFields, number: number): RowFields {
    const position = this.#positions.get(number);
    return position === undefined ? fields : { position, ...fields };
  }

  /** Note for a row that waits for the next pass. It keeps the position that it would have now. */
  wait({ ref }: RowFields, number: number): StoredNote {
    const value = foldedName(ref) ?? '';
    this.#waiting.add(value);
    const reason = String(this.#positions.get(number) ?? '');
    return { kind: 'waiting', number: nextPassOf(this.#item), field: null, value, reason };
  }
}
