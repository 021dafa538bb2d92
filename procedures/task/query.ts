import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { labelFilterInput } from '../../entities/fields/labels.ts';
import {
  EXAMPLE_IDS,
  bodyId,
  enumInput,
  expected,
  forModels,
  integerInput,
  listInput,
  searchText,
  timestampInput,
  uniqueIdOf,
  valueList,
} from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { MAX_ID } from '../../entities/ids.ts';
import type { EvidenceFilter } from '../../entities/evidence/expiring.ts';
import { TASK_SORTS } from '../../entities/task/list.ts';
import type { TaskFilters, TaskSort } from '../../entities/task/list.ts';
import { OPEN_STATUSES, PRIORITY, TASK_STATUSES } from '../../entities/task/task.ts';
import { PAGE_SIZE, paginationInput } from '../schemas/pagination.ts';
import { integerListInput, memberListInput, toIntegers, toMembers } from '../schemas/lists.ts';
import { evidenceFilterInput } from '../parent/expiring.ts';
import { DUE } from './due.ts';
import { frameworkParameter } from './schemas.ts';

/** Represents the open statuses in a filter. */
const OPEN = 'open';
const EXPECTED_FRAMEWORKS = 'ids of frameworks, separated by commas';
const DEFAULT_SORT: TaskSort = '-createdAt';

/** Filters and position of every list of tasks. Without a limit the tasks are only counted. */
const filterInput = {
  status: valueList([OPEN, ...TASK_STATUSES])
    .meta({
      description: `Statuses of the tasks, separated by commas; \`${OPEN}\` means ${OPEN_STATUSES.join(', ')}`,
      examples: [[OPEN]],
    })
    .register(forModels, { description: `Comma-separated; \`${OPEN}\` means not closed`, pattern: undefined })
    .optional(),
  priority: integerListInput(PRIORITY)
    .meta({ description: `Priorities of the tasks, separated by commas: ${PRIORITY.description}`, examples: [[1, 2]] })
    .register(forModels, { description: PRIORITY.description })
    .optional(),
  label: labelFilterInput.optional(),
  departmentId: bodyId('Department of the tasks').optional(),
  assignee: memberListInput('Members to whom the tasks are given').optional(),
  vendor: uniqueIdOf('vendor')
    .meta({ description: 'A vendor of the tasks', format: 'uuid', examples: [EXAMPLE_IDS.vendor] })
    .register(forModels, { description: 'Id from `vendor_page`' })
    .optional(),
  due: enumInput(DUE)
    .meta({
      description:
        '`overdue`: open and due before today; `week`: open and due from today to seven days later; `none`: without a due date. ' +
        'Today is that of the time zone of the company.',
      examples: ['week'],
    })
    .register(forModels, {
      description: '`week`: from today to seven days later',
    })
    .optional(),
  dueBefore: calendarDate.meta({ description: 'Last dueDate, included' }).optional(),
  dueAfter: calendarDate.meta({ description: 'First dueDate, included' }).optional(),
  ...evidenceFilterInput,
  updatedSince: timestampInput.meta({ description: 'First updatedAt, included' }).optional(),
  q: searchText(MAX_NAME_LENGTH)
    .meta({ description: 'Part of the title, ignoring case', examples: ['review'] })
    .optional(),
  sort: enumInput(TASK_SORTS)
    .default(DEFAULT_SORT)
    .meta({
      description:
        'Order of the tasks, descending with `-`, then by uniqueId in the same direction. Tasks without a due date come last.',
    })
    .register(forModels, { description: 'Descending with `-`' }),
  ...paginationInput(
    PAGE_SIZE.max,
    'without it tasks are only counted; required with `cursor`',
    'Without it tasks are only counted',
  ),
};

/** Input of the list of a framework. */
export const TaskQuery = z.strictObject({ ...frameworkParameter, ...filterInput });

/** Input of the list of all frameworks. */
export const AllTasksQuery = z.strictObject({
  // A number is the list of that number. REST sends text.
  framework: z

    .union(
      [listInput('[0-9]{1,10}', EXPECTED_FRAMEWORKS), integerInput(1, MAX_ID).meta({ format: 'int32' })],
      expected(EXPECTED_FRAMEWORKS),
    )
    .transform(String)
    .meta({
      description: 'Ids of frameworks, separated by commas; by default all',
      examples: [[1, 2]],
      listOf: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_ID },
    })
    .register(forModels, { description: 'Ids from `framework_list`, comma-separated' })
    .optional(),
  ...filterInput,
});

/** Filters, order and position of a list, whatever its frameworks. */
export type ListQuery = Omit<z.infer<typeof AllTasksQuery>, 'framework'>;

/** Parses the filters of a query. */
export const toTaskFilters = (
  query: Omit<ListQuery, 'sort' | 'due' | 'evidence'>,
): Omit<TaskFilters, keyof EvidenceFilter | 'isEvidenceRare'> => ({
  status: toStatuses(query.status),
  priority: toIntegers(PRIORITY, query.priority),
  label: query.label ?? null,
  departmentId: query.departmentId ?? null,
  dueBefore: query.dueBefore ?? null,
  dueAfter: query.dueAfter ?? null,
  noDueDate: null,
  updatedSince: query.updatedSince ?? null,
  q: query.q ?? null,
  ...toAssignees(query.assignee),
  vendor: query.vendor ?? null,
});

/** The filters in the key of a cursor. Filters that came later are left out if they are not set, so that earlier cursors still work. */
export const cursorFilters = ({
  noDueDate: _noDueDate,
  assignee,
  unassigned,
  vendor,
  ...earlier
}: ReturnType<typeof toTaskFilters>) => ({
  ...earlier,
  assignee: assignee ?? undefined,
  unassigned: unassigned ?? undefined,
  vendor: vendor ?? undefined,
});

/** The members of the filter `assignee`, and whether it names nobody. */
function toAssignees(list: string | undefined): Pick<TaskFilters, 'assignee' | 'unassigned'> {
  const { members, nobody } = toMembers(list);
  return { assignee: members, unassigned: nobody };
}

/** The statuses of a filter, each once, in their own order. */
function toStatuses(list: string | undefined) {
  if (list === undefined) return null;
  const values = new Set(list.split(',').flatMap((value) => (value === OPEN ? OPEN_STATUSES : value)));
  return TASK_STATUSES.filter((status) => values.has(status));
}
