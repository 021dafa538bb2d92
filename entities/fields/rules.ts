import { ApiError } from '../api-error.ts';
import { toSnakeCase } from '../schema/audited-resource.ts';

/**
 * A rule over several fields of a row. The check of the table, the condition of its update and the error 422 derive from it. A new kind
 * of rule is a function that says the same in SQL and in TypeScript.
 */
export interface Rule<Name extends string = string> {
  /** The name of the check is that of the table and this. */
  readonly name: string;
  /** Condition in SQL, which is false for a row that breaks the rule. @param valueOf SQL of the value of a field */
  readonly condition: (valueOf: (field: Name) => string) => string;
  /** Message for fields that break the rule. Fields that are missing break none. */
  readonly violation: (fields: object) => string | undefined;
}

/** A date is not before another one. */
export const notBefore = <Later extends string, Earlier extends string>(
  later: Later,
  earlier: Earlier,
  name = `${toSnakeCase(later)}_not_before_${toSnakeCase(earlier)}`,
): Rule<Later | Earlier> => ({
  name,
  condition: (valueOf) => `${valueOf(later)} >= ${valueOf(earlier)}`,
  violation: (fields) => {
    const [end, start]: unknown[] = [later, earlier].map((field): unknown => Reflect.get(fields, field));
    // Dates in this format are in the order of their text.
    return typeof end === 'string' && typeof start === 'string' && end < start
      ? `${later}: ${end} is before ${earlier} ${start}`
      : undefined;
  },
});

/** A field has a value only beside one of another field. @param reason ends the message */
export const requires = <Field extends string, Other extends string>(
  field: Field,
  other: Other,
  reason: string,
): Rule<Field | Other> => ({
  name: `${toSnakeCase(field)}_has_${toSnakeCase(other)}`,
  condition: (valueOf) => `${valueOf(field)} IS NULL OR ${valueOf(other)} IS NOT NULL`,
  violation: (fields) =>
    (Reflect.get(fields, field) ?? null) !== null && Reflect.get(fields, other) === null
      ? `${field}: expected a ${other}, ${reason}`
      : undefined,
});

/** Two fields have different values, unless one has none. @param expectation ends the message, which names the first field */
export const differs = <Field extends string, Other extends string>(
  field: Field,
  other: Other,
  expectation: string,
): Rule<Field | Other> => ({
  name: `${toSnakeCase(field)}_differs`,
  condition: (valueOf) => `${valueOf(field)} <> ${valueOf(other)}`,
  violation: (fields) => {
    const given: unknown = Reflect.get(fields, field) ?? null;
    return given !== null && given === Reflect.get(fields, other) ? `${field}: expected ${expectation}` : undefined;
  },
});

/** Error 422 for fields that break one of the rules. */
export function violationOf(rules: readonly Pick<Rule, 'violation'>[], fields: object): ApiError | undefined {
  for (const rule of rules) {
    const message = rule.violation(fields);
    if (message !== undefined) return new ApiError('unprocessable', message, { cause: rule });
  }
  return undefined;
}

/** True for the error of a rule over several fields. */
export const breaksRule = ({ cause }: ApiError): boolean =>
  typeof cause === 'object' && cause !== null && 'condition' in cause;

/** The check of a table for a rule. @param columnOf column of a field, by default its name in snake case */
export const ruleCheck = <Name extends string>(
  table: string,
  { name, condition }: Rule<Name>,
  columnOf: (field: Name) => string = toSnakeCase,
) => ({ name: `${table}_${name}`, expression: condition(columnOf) });
