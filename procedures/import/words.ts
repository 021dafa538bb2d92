import type { Session } from '../../database/session.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import type { RefersTo } from '../../entities/fields/kind.ts';
import { findActiveMembers, findActiveMembersByName } from '../../entities/member/management.ts';
import { findDepartmentsByName, findGapsByTitle } from '../../entities/reference-data/statements.ts';
import { findRequirementsByRef } from '../../entities/requirement/statements.ts';
import type { NamedId } from '../../entities/statements/by-name.ts';
import { findVendorsByName } from '../../entities/vendor/list.ts';
import { emailInput } from '../schemas/people.ts';
import type { RowFields } from './parsing/file-table.ts';
import { UnusableValue, splitList } from './values.ts';
import type { FieldsByName } from './values.ts';

/** Ids of words; null for a word that several have. Others are missing. */
type Found = ReadonlyMap<string, string | null>;

/** Names that files have in place of the ids of a field. */
interface WordKind {
  /** Pattern of ids. Other text is a word. */
  id: RegExp;
  expectation: string;
  isList?: true;
  find: (session: Session, words: readonly string[], framework: number | null) => Promise<Found>;
}

const DIGITS = /^\d+$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const toFound = (rows: readonly NamedId[]): Found => new Map(rows.map(({ name, id }) => [name, id]));

async function findMembers(session: Session, words: readonly string[]): Promise<Found> {
  const emails = new Map(words.map((word) => [word, emailInput.safeParse(word).data]));
  const valid = [...emails.values()].filter((email) => email !== undefined);
  const [named, addressed] = await Promise.all([
    session.run(findActiveMembersByName, { names: words }),
    valid.length === 0 ? [] : session.run(findActiveMembers, { emails: valid }),
  ]);
  const ids = new Map(addressed.map(({ email, unique_id }) => [email, unique_id]));
  const byEmail = [...emails].flatMap(([word, email = '']) => {
    const id = ids.get(email);
    return id === undefined ? [] : [[word, id] as const];
  });
  return new Map([...toFound(named), ...byEmail]);
}

/** Kinds of words. Case and outer spaces are ignored. Contract, sections 18 and 29. */
const WORD_KINDS: Readonly<Record<RefersTo['kind'], WordKind | undefined>> = {
  framework: undefined,
  parent: undefined,
  requirement: {
    isList: true,
    id: UUID,
    expectation: 'uniqueIds, or refs of requirements of the framework',
    find: async (session, names, framework) =>
      framework === null ? new Map() : toFound(await session.run(findRequirementsByRef, { framework, names })),
  },
  department: {
    id: DIGITS,
    expectation: 'an id, or the name of exactly one department that is not archived',
    find: async (session, names) => toFound(await session.run(findDepartmentsByName, { names })),
  },
  gap: {
    isList: true,
    id: DIGITS,
    expectation: 'ids, or titles of gaps of the framework that are not archived and that one gap has',
    find: async (session, names, framework) =>
      framework === null ? new Map() : toFound(await session.run(findGapsByTitle, { framework, names })),
  },
  vendor: {
    isList: true,
    id: UUID,
    expectation: 'uniqueIds, or names of vendors that one vendor has',
    find: async (session, names) => toFound(await session.run(findVendorsByName, { names })),
  },
  member: {
    id: UUID,
    expectation: 'a uniqueId, or the email or the name of exactly one active member',
    find: findMembers,
  },
};

/** The words of rows, and what they mean. It lives as long as a slice, so that each word is looked up once. */
export class Words {
  readonly #framework: number | null;
  readonly #fields: readonly { name: string; kind: WordKind; found: Map<string, string | null | undefined> }[];

  constructor(fields: FieldsByName, framework: number | null = null) {
    this.#framework = framework;
    this.#fields = Object.entries(fields).flatMap(([name, { refersTo }]) => {
      const kind = refersTo && WORD_KINDS[refersTo.kind];
      return kind === undefined ? [] : [{ name, kind, found: new Map<string, string | null | undefined>() }];
    });
  }

  /** Looks up the words of rows: the statements of each field that has new words. */
  async find(session: Session, rows: readonly RowFields[]): Promise<void> {
    await Promise.all(
      this.#fields.map(async ({ name, kind, found }) => {
        const words = new Set(rows.flatMap((row) => wordsIn(kind, row[name])));
        const unknown = [...words].filter((word) => isPlausible(word) && !found.has(word));
        if (unknown.length === 0) return;
        const ids = await kind.find(session, unknown, this.#framework);
        for (const word of unknown) found.set(word, ids.get(word));
      }),
    );
  }

  /** Replaces the words of a row by ids. @throws UnusableValue for a word without an id */
  replace(row: RowFields): RowFields {
    const replaced = { ...row };
    for (const { name, kind, found } of this.#fields) {
      const given = row[name];
      const toId = (text: string): string | number => {
        const id = found.get(text) ?? null;
        if (id === null) throw new UnusableValue(name, text, kind.expectation);
        return kind.id === DIGITS ? Number(id) : id;
      };
      if (!kind.isList) {
        if (typeof given === 'string') replaced[name] = isWord(kind, given) ? toId(given.trim()) : lowerUuid(given);
      } else if (typeof given === 'string') {
        const text = given.trim();
        const isWhole = typeof found.get(text) === 'string';
        replaced[name] = isWhole
          ? [toId(text)]
          : splitList(text).map((part) => (isWord(kind, part) ? toId(part) : idOf(kind, part)));
      } else if (Array.isArray(given)) {
        replaced[name] = given.map((item: unknown) =>
          typeof item === 'string' && isWord(kind, item) ? toId(item.trim()) : item,
        );
      }
    }
    return replaced;
  }
}

/** Requests take uniqueIds in lower case only. */
const lowerUuid = (text: string) => (UUID.test(text.trim()) ? text.trim().toLowerCase() : text);

/** The id in the text of a list. */
const idOf = ({ id }: WordKind, text: string) => (id === DIGITS ? Number(text) : text.toLowerCase());

function isWord(kind: WordKind, given: string): boolean {
  const text = given.trim();
  return text !== '' && !kind.id.test(text);
}

/** Texts of a value that may be words. The text of a list may be one as a whole, or several. */
function wordsIn(kind: WordKind, given: unknown): string[] {
  const texts: unknown[] = Array.isArray(given)
    ? given
    : typeof given === 'string' && kind.isList
      ? [given, ...splitList(given)]
      : [given];
  return texts.flatMap((text) => (typeof text === 'string' && isWord(kind, text) ? [text.trim()] : []));
}

/** Excludes text that cannot be a name or an email. PostgreSQL rejects parameters with NUL or a lone surrogate. */
const isPlausible = (word: string) => word.length <= MAX_NAME_LENGTH && word.isWellFormed() && !word.includes('\0');
