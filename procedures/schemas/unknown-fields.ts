import { z } from 'zod';

/** Number of unknown fields that are explained. A message has no more. */
const MAX_EXPLAINED = 5;
const MIN_LENGTH_OF_TYPO = 3;
const SEPARATOR = '\n';
const UNKNOWN = 'unknown field';

interface KnownFields {
  /** Fields of the object in responses. */
  shown?: object;
  /** Error for a field that another operation takes, by its name. */
  elsewhere?: Readonly<Record<string, string>>;
}

/** A name in a form that is equal for all of its spellings. */
const lettersOf = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase();

/** A name without the end that says that the value is an id. */
const stemOf = (name: string) => lettersOf(name).replace(/ids?$/, '');

/** True for texts that become equal when one character is added, removed, replaced, or swapped with the next one. */
function differByOneEdit(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < MIN_LENGTH_OF_TYPO) return false;
  let equal = 0;
  while (equal < one.length && one[equal] === other[equal]) equal += 1;
  const [a, b] = [one.slice(equal), other.slice(equal)];
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || isSwapped;
}

/** The known name that an unknown one probably means. */
export function meantBy(name: string, known: readonly string[]): string | undefined {
  const [letters, stem] = [lettersOf(name), stemOf(name)];
  return (
    known.find((one) => lettersOf(one) === letters) ??
    known.find((one) => stemOf(one) === stem) ??
    known.find((one) => differByOneEdit(lettersOf(one), letters) || differByOneEdit(stemOf(one), stem))
  );
}

function explain(name: string, known: readonly string[], { shown = {}, elsewhere = {} }: KnownFields): string {
  if (Object.hasOwn(elsewhere, name)) return `${UNKNOWN}; ${elsewhere[name]}`;
  const meant = meantBy(name, known);
  if (meant !== undefined) return `${UNKNOWN}; did you mean ${meant}?`;
  return Object.hasOwn(shown, name) ? `${UNKNOWN}; it is read-only` : UNKNOWN;
}

/** Creates the error option of a strict object. It has one line for each of the first unknown fields. */
const explaining =
  (fields: () => KnownFields): z.core.$ZodErrorMap =>
  (issue) => {
    if (issue.code !== 'unrecognized_keys') return undefined;
    const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
    return issue.keys
      .slice(0, MAX_EXPLAINED)
      .map((name) => explain(name, known, fields()))
      .join(SEPARATOR);
  };

/** Every strict object without an option of its own has it. */
z.config({ customError: explaining(() => ({})) });

/**
 * Option of a strict object whose unknown fields may be known elsewhere.
 * @param fields a function, so that a module may declare the schema of responses after those of requests
 */
export const unknownFields = (fields: () => KnownFields) => ({ error: explaining(fields) });

/** The messages of an issue by unknown field. */
export function unknownFieldsOf({ keys, message }: z.core.$ZodIssueUnrecognizedKeys): Map<string, string> {
  const messages = message.split(SEPARATOR);
  return new Map(keys.map((key, index) => [key, messages[index] ?? UNKNOWN]));
}
