/** Findings of an audit as a table with mistakes: the rows with a wrong date, priority, title and status are not imported. */
export const IMPORT_ROWS = [
  ['FND-01', 'Define who may approve emergency access', '2', 'todo', 30],
  ['FND-02', 'Add the new region to the description of the system', '2', 'todo', 45],
  ['FND-03', 'Record the approval of two releases', '3', 'in_progress', 20],
  ['FND-04', 'Remove three unused administrators', 'urgent', 'todo', 14],
  ['FND-05', 'Show the result of the capacity test', '3', 'todo', 60],
  ['FND-06', 'Sign the code of conduct (two contractors)', '4', 'todo', 30],
  ['FND-07', 'Explain the exception in the sample of backups', '2', 'in_progress', 21],
  ['FND-08', 'Extend the audit log of the vault to one year', '2', 'todo', 90],
  ['FND-09', 'Describe the way back of database changes', '3', 'todo', 75],
  ['FND-10', 'Repeat the test of the alarm chain at night', '3', 'todo', 40],
  ['FND-11', 'Add owners to four risks', '3', 'todo', 25],
  ['FND-12', 'Confirm the deletion for one customer', '1', 'todo', 10],
  ['FND-13', 'Check the list of visitors', '7', 'todo', 30],
  ['FND-14', '', '3', 'todo', 30],
  ['FND-15', 'Translate the notice for applicants', '3', 'waiting', 30],
  ['FND-16', 'Update the chart of the network', '3', 'todo', null],
] as const;

