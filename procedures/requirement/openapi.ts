import { resourceTexts } from '../document/resource-texts.ts';

const { text, common } = resourceTexts('requirement');
const LIST =
  'In the order of `position`, then of `ref` with numbers compared as numbers. With `Accept: text/csv` or `application/x-ndjson` the ' +
  'response is a file with all matching requirements, the statement of applicability; `limit` and `cursor` are then not allowed.';

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  get: common.get,
  history: common.history,
  delete: text(
    'deleteRequirement',
    'Delete a requirement',
    'It is removed from its tasks. A requirement with others below it cannot be deleted (409). The history remains available.',
  ),
  list: text('listRequirements', 'List the requirements of a framework', LIST),
  create: text(
    'createRequirement',
    'Add a requirement to a framework',
    '`ref` and `title` are required. An archived framework takes none (422), and a framework has at most 5,000 (422).',
  ),
  update: text('updateRequirement', 'Change some fields of a requirement', 'Omitted fields keep their value.'),
  assess: text(
    'assessRequirement',
    'Assess a requirement',
    'Records whether the company meets it, by whom and when. `result: null` withdraws the assessment. A heading, or a requirement that does not apply, cannot be assessed (409).',
  ),
  report: text(
    'getFrameworkReport',
    'Report where a framework stands, and what changed since a day',
    'The numbers of requirements, tasks and evidence now and at the end of the day `since`, overdue tasks by assignee and department, and ' +
      'the requirements whose status got better or worse. Past numbers come from the audit log. Days are in the time zone of the company.',
  ),
  batch: text(
    'batchRequirements',
    'Create, change and delete up to 100 requirements of a framework',
    'Each item is a single request with its own result. All run in one transaction; with `atomic` one item that fails rejects ' +
      'all. A batch counts as one request for every 10 items. Requirements of another framework are not found (404).',
  ),
};
