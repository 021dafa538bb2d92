import { byName } from '../statements/by-name.ts';
import type { NamedId, Names } from '../statements/by-name.ts';
import { readStatement } from '../statements/define-statement.ts';

interface NamedReference {
  id: number;
  name: string;
  archived: boolean;
}

/** Frameworks that the key may access, by id. */
export const listFrameworks = readStatement<object, NamedReference>(
  'framework.list',
  ({ company, keyFrameworks }) => `select f.id, f.name, f.archived_at is not null as archived from framework f
  where f.company_id = ${company} and (${keyFrameworks}::int[] is null or f.id = any(${keyFrameworks})) order by f.id`,
);

/** Departments by id. */
export const listDepartments = readStatement<object, NamedReference>(
  'department.list',
  ({ company }) => `select d.id, d.name, d.archived_at is not null as archived from department d
  where d.company_id = ${company} order by d.id`,
);

/** Departments with these names that are not archived. */
export const findDepartmentsByName = readStatement<Names, NamedId>('department.by-name', ({ company, names }) =>
  byName(names, 'd.id', 'd.name', `department d where d.company_id = ${company} and d.archived_at is null`),
);

/** Gaps of a framework with these titles that are not archived. */
export const findGapsByTitle = readStatement<Names & { framework: number }, NamedId>(
  'gap.by-title',
  ({ company, framework, names }) =>
    byName(
      names,
      'g.id',
      'g.title',
      `gap g where g.company_id = ${company} and g.framework_id = ${framework} and g.archived_at is null`,
    ),
);

/** Gaps of a framework by id. A framework without gaps is one row without an id, an unknown framework has no row. */
export const listGaps = readStatement<
  { framework: number },
  { id: number; title: string; archived: boolean } | { id: null }
>(
  'gap.list',
  ({ company, framework }) => `select g.id, g.title, g.archived_at is not null as archived from framework f
  left join gap g on g.company_id = f.company_id and g.framework_id = f.id
  where f.company_id = ${company} and f.id = ${framework} order by g.id`,
);

/** Number of these frameworks that the company has. */
export const countFrameworks = readStatement<{ frameworks: readonly number[] }, { count: number }>(
  'framework.count',
  ({ company, frameworks }) =>
    `select count(*)::int as count from framework where company_id = ${company} and id = any(${frameworks}::int[])`,
);
