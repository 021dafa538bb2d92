const tags = ['Tasks'];

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  list: {
    tags,
    operationId: 'listTasks',
    summary: 'Count the tasks of a framework, or list them',
    description:
      'Returns the number of matching tasks; with `limit` also a page of them, newest first. A task must match all filters. ' +
      'The framework may be archived.',
  },
  create: {
    tags,
    operationId: 'createTask',
    summary: 'Create a task in a framework',
    description: 'A new task has the status `todo`. Only the title is required.',
  },
  get: {
    tags,
    operationId: 'getTask',
    summary: 'Read a task',
    description: 'Returns the current task, or the task as it was at a time.',
  },
  history: {
    tags,
    operationId: 'getTaskHistory',
    summary: 'Read the history of a task, newest first',
    description: 'Also available for a deleted task.',
  },
  update: {
    tags,
    operationId: 'updateTask',
    summary: 'Change some fields of a task',
    description:
      'Omitted fields keep their value; null clears a date or the department. ' +
      'The open statuses `todo`, `in_progress` and `in_review` may change to any status. The closed statuses `done`, `not_applicable` ' +
      'and `canceled` may change to `todo` only. Other fields may change in any status.',
  },
  delete: { tags, operationId: 'deleteTask', summary: 'Delete a task', description: 'The history remains available.' },
  putByExternalId: {
    tags,
    operationId: 'putTaskByExternalId',
    summary: 'Create or change the task with an external id',
    description:
      'Fields that are not sent take their default, except the status of an existing task; with `mode=merge` they keep their value, ' +
      'and only a new task needs a title. A task that has these values already is not written. A new task may have any status. ' +
      'The id of a deleted task stays reserved (409) unless `recreate=true`.',
  },
  getByExternalId: {
    tags,
    operationId: 'getTaskByExternalId',
    summary: 'Read the task with an external id',
    description: 'The id is compared byte for byte, within the framework.',
  },
  deleteByExternalId: {
    tags,
    operationId: 'deleteTaskByExternalId',
    summary: 'Delete the task with an external id',
    description: 'The external id stays reserved, and the history remains available.',
  },
  link: {
    tags,
    operationId: 'linkTask',
    summary: 'Add an external id to a task',
    description: 'A task has at most 10 external ids. An id that the task has already changes nothing.',
  },
  batch: {
    tags,
    operationId: 'batchTasks',
    summary: 'Create, change and delete up to 100 tasks',
    description:
      'Each item is a single request with its own result. All run in one transaction; with `atomic` one item that fails rejects ' +
      'all. A batch counts as one request for every 10 items. Each object may be the target of one item only.',
  },
};
