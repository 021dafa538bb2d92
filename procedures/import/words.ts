import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { foldCase } from '../../entities/fold-case.ts';
import { findActiveMembers } from '../../entities/member/management.ts';
import { findDepartmentsByName } from '../../entities/reference-data/statements.ts';
import { PRIORITY } from '../../entities/task/task.ts';
import { emailInput } from '../schemas/people.ts';
import type { RowFields } from './parsing/file-table.ts';

/** Words that a column takes in place of its values. */
interface WordKind {
  /** Pattern of values. Other text is a word. */
  value: RegExp;
  expectation: string;
  /** Finds the values of words. Others are missing in the result. */
  find: (session: Session, words: readonly string[]) => Promise<ReadonlyMap<string, unknown>>;
}

const DIGITS = /^\d+$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const PRIORITIES = new Map([
  ['urgent', 1],
  ['critical', 1],
  ['high', 2],
  ['medium', 3],
  ['low', 4],
]);

/** Kinds of words. Case and outer spaces are ignored. Contract, section 18. */
const WORD_KINDS = {
  department: {
    value: DIGITS,
    expectation: 'an id, or the name of exactly one department that is not archived',
    find: async (session, names) => {
      const rows = await session.run(findDepartmentsByName, { names });
      return new Map(rows.flatMap(({ name, id }) => (id === null ? [] : [[name, id]])));
    },
  },
  member: {
    value: UUID,
    expectation: 'a uniqueId, or the email of an active member',
    find: async (session, words) => {
      const emails = new Map(words.map((word) => [word, emailInput.safeParse(word).data]));
      const valid = [...emails.values()].filter((email) => email !== undefined);
      const rows = valid.length === 0 ? [] : await session.run(findActiveMembers, { emails: valid });
      const ids = new Map(rows.map(({ email, unique_id }) => [email, unique_id]));
      return new Map([...emails].map(([word, email = '']) => [word, ids.get(email)]));
    },
  },
  priority: {
    value: DIGITS,
    expectation: `an integer from ${PRIORITY.min} to ${PRIORITY.max}, or one of ${[...PRIORITIES.keys()].join(', ')}`,
    find: async (_session, words) => new Map(words.map((word) => [word, PRIORITIES.get(foldCase(word))])),
  },
} as const satisfies Record<string, WordKind>;

/** Kind of words of each column that takes words. */
export type WordColumns = Readonly<Record<string, keyof typeof WORD_KINDS>>;

/** The words of rows, and their values. It lives as long as a slice, so that each word is looked up once. */
export class Words {
  readonly #columns: readonly { column: string; kind: WordKind; values: Map<string, unknown> }[];

  constructor(columns: WordColumns) {
    const valuesOf = new Map(Object.values(columns).map((name) => [name, new Map<string, unknown>()]));
    this.#columns = Object.entries(columns).map(([column, name]) => ({
      column,
      kind: WORD_KINDS[name],
      values: valuesOf.get(name) ?? new Map<string, unknown>(),
    }));
  }

  /** Looks up the words of rows: one statement for each kind that has new words. */
  async find(session: Session, rows: readonly RowFields[]): Promise<void> {
    await Promise.all(
      this.#columns.map(async ({ column, kind, values }) => {
        const words = new Set(rows.flatMap((row) => wordOf(kind, row[column]) ?? []));
        const unknown = [...words].filter((word) => isPlausible(word) && !values.has(word));
        if (unknown.length === 0) return;
        const found = await kind.find(session, unknown);
        for (const word of unknown) values.set(word, found.get(word));
      }),
    );
  }

  /** Replaces the words of a row by their values. @throws ApiError for a word without a value */
  replace(row: RowFields): RowFields {
    const replaced: RowFields = {};
    for (const { column, kind, values } of this.#columns) {
      const given = row[column];
      const word = wordOf(kind, given);
      if (word !== undefined) {
        const value = values.get(word);
        if (value === undefined) throw new ApiError('invalid_request', `${column}: expected ${kind.expectation}`);
        replaced[column] = value;
      } else if (typeof given === 'string' && UUID.test(given.trim())) {
        replaced[column] = given.trim().toLowerCase();
      }
    }
    return { ...row, ...replaced };
  }
}

/** The word in a column, without outer spaces; undefined for a value, and for an empty cell. */
function wordOf({ value }: WordKind, given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const text = given.trim();
  return text === '' || value.test(text) ? undefined : text;
}

/** Excludes text that cannot be a name or an email. PostgreSQL rejects parameters with NUL or a lone surrogate. */
const isPlausible = (word: string) => word.length <= MAX_NAME_LENGTH && word.isWellFormed() && !word.includes('\0');
