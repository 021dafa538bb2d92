/** Numbers of a proof as people read them, in this order. A later version of the product may have others. */
const LABELS: Readonly<Record<string, string>> = {
  tasks: 'Tasks',
  vendors: 'Vendors',
  comments: 'Comments',
  evidence: 'Evidence',
  frameworks: 'Frameworks',
  departments: 'Departments',
  gaps: 'Gaps',
  keys: 'API keys',
  members: 'Members',
  events: 'Events',
};

/** The numbers of each register, with labels. */
export const registersOf = (counts: Readonly<Record<string, number>>) =>
  [...new Set([...Object.keys(LABELS), ...Object.keys(counts)])]
    .filter((name) => counts[name] !== undefined)
    .map((name) => ({ label: LABELS[name] ?? name, count: counts[name] ?? 0 }));
