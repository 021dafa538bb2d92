import { z } from 'zod';
import {
  expected,
  expectedList,
  forModels,
  integerInput,
  listInput,
  textInput,
} from '../../entities/fields/schemas.ts';
import { UNIQUE_ID_PATTERN, isUniqueId } from '../../entities/ids.ts';

// Filters with several values, separated by commas.

interface Range {
  readonly min: number;
  readonly max: number;
}

const valuesOf = ({ min, max }: Range) => Array.from({ length: max - min + 1 }, (_, index) => min + index);

/** One or more integers of a small range. A number is the list of that number; REST sends text. */
export function integerListInput(range: Range) {
  const texts = valuesOf(range).map(String);
  const expectation = expectedList(texts);
  const error = expected(expectation);
  const number = integerInput(range.min, range.max, error).meta({ format: 'int32' });
  const listOf = { type: 'integer', format: 'int32', minimum: range.min, maximum: range.max } as const;
  return z
    .union([listInput(`(?:${texts.join('|')})`, expectation), number], error)
    .transform(String)
    .meta({ listOf });
}

/** The integers of a filter, each once, ascending. */
export function toIntegers(range: Range, list: string | undefined): number[] | null {
  if (list === undefined) return null;
  const values = new Set(list.split(',').map(Number));
  return valuesOf(range).filter((value) => values.has(value));
}

/** Represents what no member has in a filter. */
const NOBODY = 'none';
const EXPECTED_MEMBERS = `uniqueIds of members, or ${NOBODY}, separated by commas`;
/** A hundred uniqueIds with their commas. */
const MAX_MEMBERS_LENGTH = 3700;

/** One or more members, or nobody. @param meaning begins the description */
export const memberListInput = (meaning: string) =>
  textInput(EXPECTED_MEMBERS, MAX_MEMBERS_LENGTH)
    .refine(
      (text) => text.split(',').every((value) => value === NOBODY || isUniqueId(value)),
      expected(EXPECTED_MEMBERS),
    )
    .meta({
      description: `${meaning}: uniqueIds separated by commas; \`${NOBODY}\` for nobody`,
      examples: [[NOBODY]],
      listOf: { type: 'string', pattern: `^${NOBODY}$|${UNIQUE_ID_PATTERN.source}`, maxLength: 36 },
    })
    .register(forModels, { description: `Ids from \`member_list\` or \`${NOBODY}\`` });

/** The members of a filter, each once, in order, and true if it names nobody. */
export function toMembers(list: string | undefined): { members: string[] | null; nobody: true | null } {
  if (list === undefined) return { members: null, nobody: null };
  const values = new Set(list.split(','));
  const nobody = values.delete(NOBODY) || null;
  return { members: [...values].toSorted(), nobody };
}
