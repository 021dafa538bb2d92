import type { Role } from '../../entities/member/role.ts';
import type { TaskStatus } from '../../entities/task/task.ts';

/** Title of a task, number of the team that does it, its status at the end, and its due date. */
export type Work = readonly [title: string, team: number, status: TaskStatus, dueDate: string];

export const ISO_TASKS = [
  ['Approve the information security policy', 0, 'done', '2026-07-15'],
  ['Review the access rights of all administrators', 1, 'done', '2026-07-31'],
  ['Restore a backup into an empty environment', 1, 'in_progress', '2026-09-15'],
  ['Agree on the scope with the external auditor', 0, 'done', '2026-07-10'],
  ['Assess the risks of the new data center', 0, 'in_review', '2026-10-09'],
  ['Train new employees in information security', 2, 'done', '2026-09-01'],
  ['Test the alarm chain of the incident process', 1, 'done', '2026-08-20'],
  ['Encrypt the disks of all laptops', 1, 'done', '2026-07-24'],
  ['Collect the confidentiality agreements of contractors', 2, 'todo', '2026-09-21'],
  ['Rotate the keys of the production environment', 1, 'done', '2026-08-31'],
  ['Update the inventory of assets', 1, 'in_progress', '2026-10-16'],
  ['Review the rules of the firewalls', 1, 'done', '2026-08-14'],
  ['Perform the internal audit', 0, 'in_progress', '2026-10-30'],
  ['Hold the management review', 0, 'todo', '2026-11-12'],
  ['Describe the secure development of software', 1, 'done', '2026-08-07'],
  ['Protect the visitors register of the Hamburg office', 2, 'not_applicable', '2026-08-28'],
  ['Scan the external systems for vulnerabilities', 1, 'done', '2026-09-11'],
  ['Plan the continuity of the support desk', 0, 'todo', '2026-10-23'],
] as const satisfies readonly Work[];

export const GDPR_TASKS = [
  ['Update the record of processing activities', 0, 'done', '2026-08-31'],
  ['Sign the data processing agreement with the payroll provider', 2, 'done', '2026-07-20'],
  ['Delete the data of applicants after six months', 2, 'done', '2026-09-04'],
  ['Assess the impact of the patient portal', 0, 'in_review', '2026-09-25'],
  ['Close the requests of data subjects within a month', 2, 'done', '2026-09-30'],
  ['Review the consent texts of the newsletter', 0, 'in_progress', '2026-10-15'],
  ['Appoint a deputy of the data protection officer', 0, 'done', '2026-07-31'],
  ['Check the transfers to countries outside the EU', 0, 'todo', '2026-10-28'],
  ['Publish the privacy notice for employees', 2, 'done', '2026-08-12'],
  ['Log the access to health records', 1, 'in_progress', '2026-09-18'],
  ['Test the notification of a data breach', 1, 'canceled', '2026-09-09'],
  ['Anonymize the data of the test environment', 1, 'done', '2026-08-25'],
] as const satisfies readonly Work[];

export const TEAMS = ['Management', 'IT operations', 'Human resources'];
export const PEOPLE: readonly (readonly [name: string, role: Role])[] = [
  ['Ann Lee', 'admin'],
  ['Ben Okafor', 'editor'],
  ['Clara Sánchez', 'editor'],
  ['David Brandt', 'auditor'],
];
export const VENDORS = ['Alster Cloud GmbH', 'Payrolla SE', 'Lindqvist Penetration Testing AB', 'Nordic Mail ApS'];
/** Facts of the vendors. */
export const VENDOR_FACTS = [
  {
    criticality: 1,
    website: 'https://alster-cloud.example/',
    dataCategories: ['health records', 'backups'],
    contractStart: '2024-01-01',
    contractEnd: '2026-12-31',
    reviewEveryMonths: 12,
  },
  { criticality: 2, dataCategories: ['salaries'], contractStart: '2025-07-01', reviewEveryMonths: 6 },
  { criticality: 3, contractEnd: '2026-08-31', nextReview: '2026-09-15' },
  { criticality: 4 },
];
/** Reviews of some of the vendors. */
export const REVIEWS = [
  { note: 'The SOC 2 report is current and has no findings.', nextReview: '2027-09-30' },
  { note: 'Two findings of the last review are closed. The exit plan is missing.', nextReview: '2027-03-31' },
];
export const COMMENTS = [
  'The evidence is complete. I have checked it against the control.',
  'Two systems are missing. I ask the teams for the exports.',
  'Agreed with the auditor in the call of today.',
];
