import { MAX_NAME_LENGTH } from '../company/company.ts';
import { evidenceFilters } from '../evidence/expiring.ts';
import { anyInteger, anyMember, anyOf, columnsOf, compare, contains, defineFilters, flag } from '../fields/filters.ts';
import { hasLabel } from '../fields/labels.ts';
import {
  EXAMPLE_IDS,
  bodyId,
  enumInput,
  expected,
  forModels,
  textInput,
  uniqueIdOf,
  updatedSinceInput,
  valueList,
} from '../fields/schemas.ts';
import { calendarDate } from '../fields/values.ts';
import { UNIQUE_ID_PATTERN, isUniqueId } from '../ids.ts';
import { placeholderOf } from '../statements/columns.ts';
import { OPEN_STATUSES, PRIORITY, TASK_STATUSES, isOpen, taskResource } from './task.ts';

const columns = columnsOf(taskResource.properties);

/** Stands for "no requirement". */
const NO_REQUIREMENT = 'none';
const EXPECTED_REQUIREMENTS = `uniqueIds of requirements, or ${NO_REQUIREMENT}, separated by commas`;
/** A hundred uniqueIds with their commas. */
const MAX_REQUIREMENTS_LENGTH = 3700;

const dueInput = (word: string) =>
  calendarDate.meta({ description: `${word} dueDate, included` }).register(forModels, { description: undefined });

/** A comparison with a time that code sets. */
const timeBound = (column: string, operator: '>=' | '<') => ({
  type: 'timestamptz',
  condition: (time: string) => `${column} ${operator} ${time}`,
});

/** Filters of a list of tasks. Bounds are included. Contract, sections 3, 18, 19 and 27. */
export const taskFilters = defineFilters({
  status: anyOf(
    columns.status,
    'text[]',
    valueList(['open', ...TASK_STATUSES])
      .meta({
        description: `Statuses of the tasks, separated by commas; \`open\` means ${OPEN_STATUSES.join(', ')}`,
        examples: [['open']],
      })
      .register(forModels, { description: 'Comma-separated; `open` means not closed', pattern: undefined }),
    // Each value once, in the order of the values.
    (list) =>
      TASK_STATUSES.filter((one) => list.split(',').some((word) => word === one || (word === 'open' && isOpen(one)))),
  ),
  priority: anyInteger(columns.priority, 'smallint[]', PRIORITY, 'Priorities of the tasks'),
  label: hasLabel(columns.labels),
  departmentId: compare(columns.department, '=', 'int', bodyId('Department of the tasks')),
  ...anyMember('assignee', 'unassigned', columns.assignee, 'Assignees of the tasks'),
  vendor: {
    schema: uniqueIdOf('vendor')
      .meta({ description: 'A vendor of the tasks', format: 'uuid', examples: [EXAMPLE_IDS.vendor] })
      .register(forModels, { description: 'Id from `vendor_page`' }),
    type: 'uuid',
  },
  requirement: {
    schema: textInput(EXPECTED_REQUIREMENTS, MAX_REQUIREMENTS_LENGTH)
      .refine(
        (text) => text.split(',').every((id) => id === NO_REQUIREMENT || isUniqueId(id)),
        expected(EXPECTED_REQUIREMENTS),
      )
      .meta({
        description: `Requirements of the tasks: uniqueIds separated by commas; \`${NO_REQUIREMENT}\` for tasks without any`,
        examples: [[EXAMPLE_IDS.requirement]],
        listOf: { type: 'string', pattern: `^${NO_REQUIREMENT}$|${UNIQUE_ID_PATTERN.source}`, maxLength: 36 },
      })
      .register(forModels, { description: `Ids from \`requirement_list\`, or \`${NO_REQUIREMENT}\`` }),
    type: 'uuid[]',
    /** The requirements, each once, in order. */
    toValue: (sent: string) => [...new Set(sent.split(','))].filter((id) => id !== NO_REQUIREMENT).toSorted(),
    condition: (ids: string, placeholders: object) =>
      `exists (select from task_requirement l where l.company_id = t.company_id and l.task_id = t.unique_id and l.requirement_id = any(${ids}))
    or ${placeholderOf(placeholders, 'unlinked')}::boolean and ${columns.requirements} = '{}'`,
  },
  unlinked: {
    of: 'requirement',
    type: 'boolean',
    toValue: (sent: string) => sent.split(',').includes(NO_REQUIREMENT) || null,
  },
  due: {
    schema: enumInput(['overdue', 'week', 'none'])
      .meta({
        description:
          '`overdue`: open and due before today; `week`: open and due from today to seven days later; `none`: without a due date. ' +
          'Today is that of the time zone of the company.',
        examples: ['week'],
      })
      .register(forModels, { description: '`week`: from today to seven days later' }),
  },
  noDueDate: flag(`${columns.dueDate} is null`),
  dueBefore: compare(columns.dueDate, '<=', 'date', dueInput('Last')),
  dueAfter: compare(columns.dueDate, '>=', 'date', dueInput('First')),
  closedAfter: {
    schema: calendarDate
      .meta({ description: 'First day on which the tasks were closed, included, in the time zone of the company' })
      .register(forModels, { description: undefined }),
  },
  closedBefore: {
    schema: calendarDate
      .meta({ description: 'Last day on which the tasks were closed, included, in the time zone of the company' })
      .register(forModels, { description: undefined }),
  },
  /** The same bounds as times. The end is not included. */
  closedFrom: timeBound(columns.closedAt, '>='),
  closedUntil: timeBound(columns.closedAt, '<'),
  ...evidenceFilters,
  /** True if few tasks can match the filter by evidence. */
  isEvidenceRare: { type: 'boolean', toValue: () => true as const },
  /** True if few tasks have the label. */
  isLabelRare: { type: 'boolean', toValue: () => true as const },
  updatedSince: compare(columns.updatedAt, '>=', 'timestamptz', updatedSinceInput),
  q: contains(columns.title, MAX_NAME_LENGTH, 'Part of the title, ignoring case', 'review'),
});

/** Parameters of the filters; null for no filter. */
export type TaskFilters = ReturnType<typeof taskFilters.parameters>;
