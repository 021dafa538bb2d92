import { MEMBERS } from '../member/management.ts';
import { frameworkCondition } from '../schema/access.ts';
import { REQUIREMENT_STATUSES, requirementStatusSql } from '../requirement/requirement.ts';
import { readStatement } from '../statements/define-statement.ts';
import { NO_FRAMEWORK } from '../ids.ts';
import { TASK_STATUSES } from '../task/task.ts';
import { VENDOR_STATUSES } from '../vendor/vendor.ts';
import type { SearchType } from './document.ts';

/** Statuses of tasks, vendors and requirements. */
export const SEARCH_STATUSES = [...new Set([...TASK_STATUSES, ...VENDOR_STATUSES, ...REQUIREMENT_STATUSES])];
type SearchStatus = (typeof SEARCH_STATUSES)[number];

/** An object with everything that a search shows and finds. */
export interface SearchObject {
  type: SearchType;
  id: string;
  framework: number;
  scope: 'task:read' | 'vendor:read' | 'member:read';
  changedAt: string;
  title: string;
  /** Texts whose words weigh more. */
  titles: string[];
  texts: string[];
  /** Text with markup. */
  html: string;
  status: SearchStatus | null;
  dueDate: string | null;
  parentType: SearchType | null;
  parentId: string | null;
  parentTitle: string | null;
}

const externalIdsOf = (alias: string) =>
  `array(select one ->> 'externalId' from jsonb_array_elements(${alias}.external_ids) one)`;

const textsOf = (...sql: string[]) => sql.join(' || ');

/** SQL of the values of JSON objects in an array, such as contacts. */
const valuesOf = (column: string, ...names: string[]) =>
  `array(select one ->> name from jsonb_array_elements(${column}) one cross join unnest(array[${names.map((name) => `'${name}'`).join(', ')}]) name
      where one ->> name is not null)`;

/** Time of the last event of an object that has no time of its last change. */
const lastEventOf = (type: SearchType, alias: string, id: string) => `coalesce((
      select e.occurred_at from audit_event e where e.company_id = ${alias}.company_id and e.resource_type = '${type}'
        and e.resource_id = ${id}::text order by e.id desc limit 1), now())`;

interface Select {
  from: string;
  scope: string;
  framework?: string;
  changedAt: string;
  title: string;
  titles: string;
  texts: string;
  html?: string;
  status?: string;
  dueDate?: string;
  parent?: readonly [type: string, id: string, title: string];
}

const selectOf = (
  type: SearchType,
  id: string,
  {
    from,
    scope,
    framework = String(NO_FRAMEWORK),
    changedAt,
    title,
    titles,
    texts,
    html,
    status,
    dueDate,
    parent,
  }: Select,
) => `select '${type}' as type, ${id}::text as id, ${framework} as framework, ${scope} as scope, ${changedAt} as "changedAt",
    ${title} as title, ${titles}::text[] as titles, ${texts}::text[] as texts, ${html ?? `''`} as html,
    ${status ?? 'null'}::text as status, ${dueDate ?? 'null'}::text as "dueDate", ${parent?.[0] ?? 'null'} as "parentType",
    ${parent?.[1] ?? 'null'}::text as "parentId", ${parent?.[2] ?? 'null'} as "parentTitle"
  from ${from}`;

/** The object to which a comment or evidence belongs, joined to the alias `o`. */
const PARENT = `left join task t on t.company_id = o.company_id and t.unique_id = o.task_id
  left join vendor v on v.company_id = o.company_id and v.unique_id = o.vendor_id
  left join requirement r on r.company_id = o.company_id and r.unique_id = o.requirement_id`;
const PARENT_TITLE = `coalesce(t.title, v.name, r.ref || ' ' || r.title)`;
const OF_PARENT = {
  scope: `case when o.vendor_id is null then 'task:read' else 'vendor:read' end`,
  framework: 'o.framework_id',
  changedAt: 'o.updated_at',
  parent: [
    `case when o.task_id is not null then 'task' when o.vendor_id is not null then 'vendor' else 'requirement' end`,
    'coalesce(o.task_id, o.vendor_id, o.requirement_id)',
    PARENT_TITLE,
  ],
} as const;

const idsOf = (alias: string, column: string, ids: string, company: string, type = 'uuid') =>
  `${alias}.company_id = ${company} and ${alias}.${column} = any(${ids}::${type}[])`;

type ObjectType = Exclude<SearchType, 'member'>;

/** SQL of the objects of each type with these ids. */
const SELECTS: Readonly<Record<ObjectType, (company: string, ids: string) => string>> = {
  task: (company, ids) =>
    selectOf('task', 'o.unique_id', {
      from: `task o join framework f on f.company_id = o.company_id and f.id = o.framework_id where ${idsOf('o', 'unique_id', ids, company)}`,
      scope: `'task:read'`,
      framework: 'o.framework_id',
      changedAt: 'o.updated_at',
      title: 'o.title',
      titles: textsOf('array[o.title]', externalIdsOf('o')),
      texts: 'o.labels',
      html: 'o.description',
      status: 'o.status',
      dueDate: 'o.due_date',
      parent: [`'framework'`, 'f.id', 'f.name'],
    }),
  vendor: (company, ids) =>
    selectOf('vendor', 'o.unique_id', {
      from: `vendor o where ${idsOf('o', 'unique_id', ids, company)}`,
      scope: `'vendor:read'`,
      changedAt: 'o.updated_at',
      title: 'o.name',
      titles: textsOf('array[o.name]', externalIdsOf('o')),
      texts: textsOf(
        'o.labels',
        'o.data_categories',
        valuesOf('o.contacts', 'name', 'email', 'role'),
        `array_remove(array[o.website, o.last_review ->> 'note'], null)`,
      ),
      html: 'o.description',
      status: 'o.status',
    }),
  requirement: (company, ids) =>
    selectOf('requirement', 'o.unique_id', {
      from: `requirement o join framework f on f.company_id = o.company_id and f.id = o.framework_id
    where ${idsOf('o', 'unique_id', ids, company)}`,
      scope: `'task:read'`,
      framework: 'o.framework_id',
      changedAt: 'o.updated_at',
      title: `o.ref || ' ' || o.title`,
      titles: 'array[o.ref, o.title]',
      texts: `array_remove(array[o.justification, o.assessment ->> 'note'], null)`,
      html: 'o.description',
      status: requirementStatusSql('o'),
      parent: [`'framework'`, 'f.id', 'f.name'],
    }),
  comment: (company, ids) =>
    selectOf('comment', 'o.unique_id', {
      ...OF_PARENT,
      from: `comment o ${PARENT} where ${idsOf('o', 'unique_id', ids, company)}`,
      title: PARENT_TITLE,
      titles: `'{}'`,
      texts: `'{}'`,
      html: 'o.text',
    }),
  evidence: (company, ids) =>
    selectOf('evidence', 'o.unique_id', {
      ...OF_PARENT,
      from: `evidence o ${PARENT} where ${idsOf('o', 'unique_id', ids, company)}`,
      title: 'o.name',
      titles: 'array[o.name]',
      texts: 'array[o.note]',
    }),
  framework: (company, ids) =>
    selectOf('framework', 'o.id', {
      from: `framework o where ${idsOf('o', 'id', ids, company, 'int')}`,
      scope: `'task:read'`,
      framework: 'o.id',
      changedAt: lastEventOf('framework', 'o', 'o.id'),
      title: 'o.name',
      titles: 'array[o.name]',
      texts: `'{}'`,
    }),
  department: (company, ids) =>
    selectOf('department', 'o.id', {
      from: `department o where ${idsOf('o', 'id', ids, company, 'int')}`,
      scope: `'task:read'`,
      changedAt: lastEventOf('department', 'o', 'o.id'),
      title: 'o.name',
      titles: 'array[o.name]',
      texts: `'{}'`,
    }),
};

/**
 * Objects of a type with these ids that the principal may read now. Those that are gone have no row. One statement for each type,
 * because PostgreSQL plans it for each number of ids.
 */
export const readObjects = (type: ObjectType) => STATEMENTS[type];

const statementFor = (type: ObjectType) =>
  readStatement<{ ids: readonly string[] }, SearchObject>(
    `search.objects-${type}`,
    ({ company, ids, scopes, keyFrameworks }) => `select * from (${SELECTS[type](company, ids)}) o
  where o.scope = any(${scopes}::text[])${type === 'evidence' ? ` and 'evidence:read' = any(${scopes}::text[])` : ''}
    and ${frameworkCondition('o.framework', keyFrameworks, true)}`,
  );

const STATEMENTS: Readonly<Record<ObjectType, ReturnType<typeof statementFor>>> = {
  task: statementFor('task'),
  vendor: statementFor('vendor'),
  requirement: statementFor('requirement'),
  comment: statementFor('comment'),
  evidence: statementFor('evidence'),
  framework: statementFor('framework'),
  department: statementFor('department'),
};

/** Members with these ids, also ended ones, but not forgotten ones. Only members find them. */
export const readMembers = readStatement<{ ids: readonly string[] }, SearchObject>(
  'search.members',
  ({ company, ids, scopes }) =>
    selectOf('member', 'm.unique_id', {
      from: `${MEMBERS.from} where m.company_id = ${company}::int and m.unique_id = any(${ids}::uuid[]) and m.forgotten_at is null
    and 'member:read' = any(${scopes}::text[])`,
      scope: `'member:read'`,
      changedAt: lastEventOf('member', 'm', 'm.unique_id'),
      title: `coalesce(${MEMBERS.name}, '')`,
      titles: `array[${MEMBERS.name}]`,
      texts: `array_remove(array[${MEMBERS.email}], null)`,
    }),
  'all companies',
);
