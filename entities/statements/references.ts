import { ApiError } from '../api-error.ts';
import { NO_FRAMEWORK } from '../ids.ts';
import { frameworkCondition } from '../schema/access.ts';
import { memberUsable } from '../schema/people.ts';
import type { ReferenceKind } from '../fields/kind.ts';
import type { Reference, Resource } from '../schema/resource-definition.ts';
import { placeholderOf } from './columns.ts';
import type { Placeholders } from './define-statement.ts';

/** What a request may refer to. References to objects that are archived later, and to members who end later, stay. */
interface Referred {
  idType: 'uuid' | 'int';
  /** SQL condition under which an id may be given in a framework. It locks what would otherwise be gone at the end of the transaction. */
  isUsable: (company: string, id: string, framework: string, keyFrameworks: string, reference: Reference) => string;
  /** What one id must be, for errors. */
  one: (reference: Reference) => string;
  /** What several ids must be, and the error for those that are not. */
  several: string;
}

export const departmentUsable = (company: string, id: string) => `exists (select from department d
  where d.company_id = ${company} and d.id = ${id} and d.archived_at is null)`;
export const gapUsable = (company: string, id: string, framework: string) => `exists (select from gap g
  where g.company_id = ${company} and g.framework_id = ${framework} and g.id = ${id} and g.archived_at is null)`;
const frameworkUsable = (company: string, id: string) => `exists (select from framework f
  where f.company_id = ${company} and f.id = ${id} and f.archived_at is null)`;
const vendorUsable = (company: string, id: string) => `exists (select from vendor v
  where v.company_id = ${company} and v.unique_id = ${id} for key share)`;

const parentUsable = (company: string, id: string, framework: string) => `exists (select from requirement r
  where r.company_id = ${company} and r.framework_id = ${framework} and r.unique_id = ${id})`;
/** The frameworks of the caller limit what may be linked, and not the framework of the task. */
const requirementUsable = (company: string, id: string, _framework: string, keyFrameworks: string) =>
  `exists (select from requirement r where r.company_id = ${company} and r.unique_id = ${id} and r.assessable
    and ${frameworkCondition('r.framework_id', keyFrameworks)} for share)`;

const REFERRED: Readonly<Record<ReferenceKind, Referred>> = {
  member: {
    idType: 'uuid',
    isUsable: (company, id, framework, _, { excludesAuditors }) =>
      memberUsable(company, id, framework, excludesAuditors),
    one: ({ inFramework, excludesAuditors = false }) =>
      `expected an active member${inFramework ? ' who may see the framework' : ''}${excludesAuditors ? ' and is not an auditor' : ''}`,
    several: 'expected active members who may see it; cannot be used',
  },
  department: {
    idType: 'int',
    isUsable: departmentUsable,
    one: () => 'no such department, or it is archived',
    several: 'expected departments that are not archived; cannot be used',
  },
  framework: {
    idType: 'int',
    isUsable: frameworkUsable,
    one: () => 'no such framework, or it is archived',
    several: 'expected frameworks that are not archived; cannot be used',
  },
  gap: {
    idType: 'int',
    isUsable: gapUsable,
    one: () => 'expected a gap of this framework that is not archived',
    several: 'expected gaps of this framework that are not archived; cannot be used',
  },
  vendor: {
    idType: 'uuid',
    isUsable: vendorUsable,
    one: () => 'expected a vendor of the company',
    several: 'expected vendors of the company; unknown',
  },
  requirement: {
    idType: 'uuid',
    isUsable: requirementUsable,
    one: () => 'expected a requirement of the company that is not a heading',
    several: 'expected requirements of the company that are not headings; cannot be used',
  },
  parent: {
    idType: 'uuid',
    isUsable: parentUsable,
    one: () => 'expected a requirement of this framework',
    several: 'expected requirements of this framework; unknown',
  },
};

/**
 * SQL of a value that PostgreSQL does not know when it plans. It would otherwise find that plans without these references cost less,
 * and plan each execution.
 */
const hidden = (placeholder: string, type: string) => `(select ${placeholder}::${type})`;

interface Given {
  placeholders: Placeholders<object>;
  /** SQL of the framework that the references must fit. */
  framework: string;
  /** Table with the present row, whose references need no check. */
  table?: string;
}

/** SQL of the ids of a list that may not be stored. */
const unusableIds = (reference: Reference, { placeholders, framework, table }: Given): string => {
  const { field, column, kind } = reference;
  const { idType, isUsable } = REFERRED[kind];
  const added = table === undefined ? '' : `given.id <> all(${table}.${column}) and `;
  return `select given.id from unnest(${hidden(placeholderOf(placeholders, field), `${idType}[]`)}) given (id)
    where ${added}not ${isUsable(placeholders.company, 'given.id', framework, placeholders.keyFrameworks, reference)}`;
};

const oneUsable = (reference: Reference, { placeholders, framework, table }: Given): string => {
  const { field, column, kind } = reference;
  const { idType, isUsable } = REFERRED[kind];
  const id = placeholderOf(placeholders, field);
  const isPresent = table === undefined ? '' : `${id} = ${table}.${column} or `;
  return `(${id}::${idType} is null or ${isPresent}${isUsable(placeholders.company, id, framework, placeholders.keyFrameworks, reference)})`;
};

/** Conditions under which references may be stored. */
export const referenceConditions = ({ references }: Pick<Resource, 'references'>, given: Given): string[] =>
  references.map((reference) =>
    reference.isList ? `not exists (${unusableIds(reference, given)})` : oneUsable(reference, given),
  );

const checkOf = ({ field }: Reference) => `check_${field}`;

/** The result of `referenceChecks`: true for one that may be stored, and the ids of a list that may not. */
export type ReferenceChecks = Readonly<Record<`check_${string}`, boolean | readonly (number | string)[]>>;

/** SQL of a column for each reference, which says if it may be stored. `requireUsable` reads them. */
export const referenceChecks = ({ references }: Pick<Resource, 'references'>, given: Given): string =>
  references
    .map((reference) => {
      const check = reference.isList ? `array(${unusableIds(reference, given)})` : oneUsable(reference, given);
      return `${check} as "${checkOf(reference)}"`;
    })
    .join(',\n  ');

/** SQL condition on the columns of `referenceChecks`: all references may be stored. */
export const checksPassed = ({ references }: Pick<Resource, 'references'>): string =>
  references.map((reference) => `"${checkOf(reference)}"${reference.isList ? ` = '{}'` : ''}`).join(' and ');

/** @throws ApiError 422 that names the first reference which may not be stored */
export function requireUsable({ references }: Pick<Resource, 'references'>, checks: ReferenceChecks): void {
  for (const reference of references) {
    const check = checks[`check_${reference.field}`];
    const { one, several } = REFERRED[reference.kind];
    if (check === false) throw new ApiError('unprocessable', `${reference.shownAs}: ${one(reference)}`);
    if (typeof check === 'object' && check.length > 0)
      throw new ApiError('unprocessable', `${reference.shownAs}: ${reference.several ?? several}: ${check.join(', ')}`);
  }
}

interface GivenReferences {
  given: Readonly<Record<string, unknown>>;
  isEmpty: boolean;
}

/** The references that changes add to those of an object. */
export function addedReferences(
  { references }: Pick<Resource, 'references'>,
  before: object,
  changes: object,
): GivenReferences {
  const given = references.map(({ field, isList }): [string, unknown] => {
    const value: unknown = Reflect.get(changes, field) ?? null;
    const present: unknown = Reflect.get(before, field);
    if (!isList) return [field, value === present ? null : value];
    const kept: readonly unknown[] = Array.isArray(present) ? present : [];
    return [field, (Array.isArray(value) ? value : []).filter((id) => !kept.includes(id))];
  });
  return {
    given: Object.fromEntries(given),
    isEmpty: given.every(([, value]) => value === null || (Array.isArray(value) && value.length === 0)),
  };
}

/** SQL of the framework of a row, for the references of it. */
export const frameworkOfRow = ({ access, table }: Pick<Resource, 'access' | 'table'>): string =>
  access.framework === 'none' ? String(NO_FRAMEWORK) : `${table}.framework_id`;

/** SQL of the framework of a new row, for the references of it: given, or of its parent. */
export const frameworkOfNew = ({ access }: Pick<Resource, 'access'>, placeholders: object): string =>
  access.framework === 'given'
    ? placeholderOf(placeholders, 'framework')
    : access.framework === 'inherited'
      ? 'parent.framework'
      : String(NO_FRAMEWORK);
