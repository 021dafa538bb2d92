import { anyMember, anyOf, columnsOf, defineFilters, flag } from '../fields/filters.ts';
import { foldedParameter, foldedSql } from '../fold-case.ts';
import { EXAMPLE_IDS, enumInput, expected, forModels, searchText, textInput, valueList } from '../fields/schemas.ts';
import { UNIQUE_ID_PATTERN, isUniqueId } from '../ids.ts';
import { frameworkCondition } from '../schema/access.ts';
import { metadataJoins } from '../statements/change-metadata.ts';
import { columnsWithMetadata } from '../statements/columns.ts';
import { anyCompany, readStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { orderBy, pageOf } from '../statements/order.ts';
import type { Position } from '../statements/order.ts';
import { SAMPLE_ORDER, withSample } from '../statements/sample.ts';
import type { Sample } from '../statements/sample.ts';
import { OPEN_STATUSES } from '../task/task.ts';
import { REQUIREMENT_STATUSES, requirementResource, requirementStatusSql } from './requirement.ts';
import type { RequirementRow } from './statements.ts';

const columns = columnsOf(requirementResource.properties);
const MAX_SEARCH_LENGTH = 255;

/** The top of the outline, in the filter by parent. */
export const NO_PARENT = 'none';
const EXPECTED_PARENT = `the uniqueId of a requirement, or ${NO_PARENT}`;

/** SQL of the tasks that are linked to the requirement `t`. */
const linked = 'from task_requirement l where l.company_id = t.company_id and l.requirement_id = t.unique_id';

/** Filters of a list of requirements. Contract, section 27. */
export const requirementFilters = defineFilters({
  status: anyOf(
    requirementStatusSql('t'),
    'text[]',
    valueList(REQUIREMENT_STATUSES)
      .meta({ description: 'Statuses of the requirements, separated by commas', examples: [['not_met']] })
      .register(forModels, { description: `Comma-separated: ${REQUIREMENT_STATUSES.join(', ')}`, pattern: undefined }),
    (list) => REQUIREMENT_STATUSES.filter((one) => list.split(',').includes(one)),
  ),
  ...anyMember('owner', 'unowned', columns.owner, 'Owners of the requirements'),
  parent: {
    schema: textInput(EXPECTED_PARENT, 36)
      .refine((text) => text === NO_PARENT || isUniqueId(text), expected(EXPECTED_PARENT))
      .meta({
        pattern: `^${NO_PARENT}$|${UNIQUE_ID_PATTERN.source}`,
        description: `uniqueId of the requirement above them, or \`${NO_PARENT}\` for those at the top`,
        examples: [EXAMPLE_IDS.requirement],
      })
      .register(forModels, { description: `Id from \`requirement_list\`, or \`${NO_PARENT}\``, pattern: undefined }),
  },
  parentId: { type: 'uuid', condition: (id) => `${columns.parent} = ${id}` },
  isTop: flag(`${columns.parent} is null`),
  q: {
    schema: searchText(MAX_SEARCH_LENGTH).meta({
      description: 'Part of the ref or the title, ignoring case',
      examples: ['access'],
    }),
    type: 'text',
    condition: (part) =>
      `strpos(${foldedSql(columns.ref)}, ${foldedParameter(part)}) > 0 or strpos(${foldedSql(columns.title)}, ${foldedParameter(part)}) > 0`,
  },
  work: {
    schema: enumInput(['none', 'open', 'overdue'])
      .meta({
        description:
          '`none`: no task is linked; `open`: with an open task; `overdue`: with one that is due before today. Headings match none of them.',
        examples: ['overdue'],
      })
      .register(forModels, { description: undefined }),
    type: 'text',
  },
});

type RequirementFilters = ReturnType<typeof requirementFilters.parameters>;

/** Position of a requirement in the order of lists. */
interface RequirementPosition {
  afterPosition: number;
  afterRef: string;
  afterId: string;
}

type Filtered = RequirementFilters & { framework: number; today: string; limit: number };

/** A requirement with the values that determine its position. */
type ListedRow = RequirementRow & { refOrder: string };

/** Condition on a requirement `t`: it is of the framework and matches the filters. */
function isListed(placeholders: Placeholders<Filtered>): string {
  const { company, keyFrameworks, framework, work, today } = placeholders;
  const isOpen = `w.status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`;
  const working = `exists (select from task_requirement l join task w on w.company_id = l.company_id and w.unique_id = l.task_id
      where l.company_id = t.company_id and l.requirement_id = t.unique_id and ${isOpen} and ${frameworkCondition('w.framework_id', keyFrameworks)}
      and (${work} = 'open' or w.due_date < ${today}::date))`;
  return `t.company_id = ${anyCompany(company)} and t.framework_id = ${framework}::int
      and ${requirementFilters.where(placeholders, 'status', 'owner', 'parentId', 'isTop', 'q')}
      and (${work}::text is null or ${columns.assessable}
        and case ${work} when 'none' then not exists (select ${linked}) else ${working} end)`;
}

/** Requirements of a framework after a position, in the order of lists. @param today in the time zone of the company */
export const pageRequirements = readStatement<Filtered & RequirementPosition, ListedRow>(
  'requirement.page',
  (placeholders) => `select ${columnsWithMetadata(requirementResource, 't')}, t.ref_order as "refOrder"
  from (select * from requirement t
    where ${isListed(placeholders)} and (t.position, t.ref_order, t.unique_id)
      > (${placeholders.afterPosition}::int, ${placeholders.afterRef}::text collate "C", ${placeholders.afterId}::uuid)
    order by t.position, t.ref_order, t.unique_id limit ${placeholders.limit}::int) t
  ${metadataJoins('t')} order by t.position, t.ref_order, t.unique_id`,
);

/** The same in the order of a sample. */
export const sampleRequirements = readStatement<Filtered & Position & Sample, RequirementRow>(
  'requirement.sample',
  (placeholders) => `select ${columnsWithMetadata(requirementResource, 't')}
  from (${pageOf(SAMPLE_ORDER, withSample('requirement t', placeholders), `${isListed(placeholders)} and`, placeholders)}) found
  join requirement t on t.company_id = ${anyCompany(placeholders.company)} and t.unique_id = found.unique_id
  ${metadataJoins('t')} order by ${orderBy(SAMPLE_ORDER, 'found')}`,
);

/** The refs of a framework with the ref above each, both folded. */
export const findOutline = readStatement<{ framework: number }, { ref: string; parentRef: string | null }>(
  'requirement.outline',
  ({ company, framework }) => `select ${foldedSql('r.ref')} as ref, ${foldedSql('above.ref')} as "parentRef"
  from requirement r left join requirement above on above.company_id = r.company_id and above.unique_id = r.parent
  where r.company_id = ${company} and r.framework_id = ${framework}::int`,
);

/** The highest position in a framework; 0 without requirements. */
export const findMaxPosition = readStatement<{ framework: number }, { position: number }>(
  'requirement.max-position',
  ({ company, framework }) => `select coalesce(max(r.position), 0) as position from requirement r
  where r.company_id = ${company} and r.framework_id = ${framework}::int`,
);
