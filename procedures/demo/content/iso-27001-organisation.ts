import { control } from './control.ts';

/** Controls in the manner of ISO 27001 about the organisation and its people, in our own words. */
export const ISO_ORGANISATION = [
  control(
    'Approve the information security policy',
    ['Security', 'policy', 2],
    'Management approves one policy that says what information is protected, why, and by whom. Everybody who works here can read it. It is read again each year, and after a change of the business.',
    { gap: 'The policy had not been approved since the reorganisation' },
  ),
  control(
    'Assign the roles of information security',
    ['Security', 'policy', 2],
    'Each duty of information security has one named person and a deputy. Nobody approves their own request or checks their own work.',
  ),
  control(
    'Keep contact with authorities and expert groups',
    ['Security', 'incident', 4],
    'A list names the authorities that must hear of an incident, with telephone numbers that work at night. Two members of the team take part in a group that shares warnings.',
  ),
  control(
    'Collect and judge threat reports',
    ['Security', 'threats', 3],
    'Reports about attacks on companies like ours are read each week. What concerns our systems becomes a task with an owner; what does not is dismissed with a reason.',
  ),
  control(
    'Include security in project plans',
    ['Security', 'projects', 3],
    'The plan of a project names the information that it touches, the risks, and who accepts them. A project does not go live before its risks are treated.',
  ),
  control(
    'Bring the inventory of assets up to date',
    ['IT', 'assets', 2],
    'Every device, system and data set is listed with an owner. The list is compared with what the network and the invoices show, and each difference is explained.',
    { gap: 'Test systems were missing in the inventory', every: 'halfYear' },
  ),
  control(
    'Publish the rules for using company devices',
    ['IT', 'assets', 3],
    'One page says what is allowed on company devices, what is not, and what is logged. Each employee confirms it when a device is handed over.',
  ),
  control(
    'Collect devices and keys from people who leave',
    ['People', 'offboarding', 2],
    'On the last day, devices, badges and keys come back and accounts are closed. The checklist is signed by the manager and kept for two years.',
    { gap: 'Two badges of former contractors still opened the office' },
  ),
  control(
    'Classify information in four levels',
    ['Security', 'data', 3],
    'Information is public, internal, confidential or secret. Each level says who may see it, where it may be stored, and how it is deleted.',
  ),
  control(
    'Label confidential documents',
    ['Legal', 'data', 4],
    'Templates of documents carry their level in the header. A document without a label is treated as internal.',
    { end: { status: 'canceled', reason: 'The new document system adds the labels by itself.' } },
  ),
  control(
    'Agree on secure ways to send files',
    ['IT', 'data', 3],
    'Confidential files leave the company only through the file exchange, which encrypts them and asks for a sign-in. Mail attachments with such files are blocked.',
  ),
  control(
    'Review the access rights of all systems',
    ['IT', 'access', 1],
    'The owner of each system reads the list of its users, and confirms or removes each right. Administrators are reviewed first. The list, with the date and the decision, is the evidence.',
    { gap: 'No access review before this year', every: 'quarter' },
  ),
  control(
    'Set up identities with one source of truth',
    ['IT', 'access', 2],
    'Accounts come from the system of the personnel department. An account without a person is closed within a day; shared accounts are listed with a reason.',
  ),
  control(
    'Rotate the passwords of service accounts',
    ['IT', 'access', 2],
    'Passwords of service accounts are stored in the vault, are at least 24 characters long, and change when somebody leaves who has read them.',
  ),
  control(
    'Assess the security of suppliers before a contract',
    ['Legal', 'vendors', 2],
    'Before a contract, the supplier fills in our questionnaire, and somebody checks it. The result decides which data the supplier may have.',
    { vendors: 'infrastructure' },
  ),
  control(
    'Write security into contracts with suppliers',
    ['Legal', 'vendors', 3],
    'Contracts name the measures of the supplier, the time in which it reports an incident, our right to audit, and what happens with the data at the end.',
    { gap: 'Three old contracts do not name a time for reporting incidents', vendors: 'data' },
  ),
  control(
    'Watch the services of critical suppliers',
    ['Security', 'vendors', 2],
    'For each critical supplier we read the reports of its auditors, its list of sub-suppliers and its outages. Changes are judged by the owner of the supplier.',
    { every: 'quarter', vendors: 'critical' },
  ),
  control(
    'Plan the exit from the cloud provider',
    ['IT', 'vendors', 3],
    'A plan says how the service is moved to another provider within 90 days: data, keys, people and costs. It was tried with one system.',
    { vendors: 'infrastructure' },
  ),
  control(
    'Practise the response to an incident',
    ['Security', 'incident', 1],
    'The team plays an incident from the alarm to the report, with the people who are on call. What went wrong becomes tasks with dates.',
    { every: 'halfYear' },
  ),
  control(
    'Keep evidence of incidents',
    ['Security', 'incident', 3],
    'Logs and disks that may be evidence are copied, hashed and locked away before somebody works on them. A form records who had them and when.',
  ),
] as const;
