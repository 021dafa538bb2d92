const tags = ['Tasks'];

/** What the document says of each operation, and the bodies that show its use. */
export const openapi = {
  list: {
    tags,
    operationId: 'listTasks',
    summary: 'Count the tasks of a framework, or list them',
    description:
      'Their number; with `limit` a page of them too, newest first. Filters hold for both alike, all together. ' +
      'The framework is one that the key may touch, archived or not.',
  },
  create: {
    tags,
    operationId: 'createTask',
    summary: 'Create a task in a framework',
    description: 'It begins as `todo`; another status is a change after that. Only the title is required.',
  },
  get: {
    tags,
    operationId: 'getTask',
    summary: 'Read a task',
    description: 'As it is, or as it was at a moment.',
  },
  history: {
    tags,
    operationId: 'getTaskHistory',
    summary: 'Read what happened to a task, newest first',
    description: 'Also of a task that is deleted.',
  },
  update: {
    tags,
    operationId: 'updateTask',
    summary: 'Change some fields of a task',
    description:
      'Fields that are not sent keep their value; null clears a date or the department. ' +
      'Of the statuses, `todo`, `in_progress` and `in_review` are open and go anywhere; `done`, `not_applicable` and `canceled` are closed ' +
      'and go back to `todo` only. Other fields may be changed in any status.',
  },
  delete: { tags, operationId: 'deleteTask', summary: 'Delete a task', description: 'Its history stays.' },
};
