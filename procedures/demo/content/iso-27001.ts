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

/** Controls in the manner of ISO 27001 about people, rooms and technology, in our own words. */
export const ISO_TECHNOLOGY = [
  control(
    'Prepare the company for an outage of the data centre',
    ['IT', 'continuity', 2],
    'The most important services run again within four hours after the loss of one location, with at most 15 minutes of lost data. The plan names the people and the order of steps.',
  ),
  control(
    'List the laws and contracts that concern security',
    ['Legal', 'policy', 3],
    'A register names each law and contract with duties of information security, the duty in one sentence, and the owner. The legal department updates it twice a year.',
    { every: 'halfYear' },
  ),
  control(
    'Check the background of new employees',
    ['People', 'onboarding', 3],
    'Before the first day, identity, certificates and references are checked, as far as the law permits and the position needs it. Results are deleted after six months.',
  ),
  control(
    'Train all employees in information security',
    ['People', 'training', 2],
    'Everybody completes the training within 30 days after joining, and once a year. Who has not completed it after two reminders loses remote access.',
    { gap: 'Contractors were not part of the training' },
  ),
  control(
    'Send a simulated phishing mail',
    ['Security', 'training', 3],
    'All employees get a harmless mail that looks like an attack. We count who reports it and who enters a password. Nobody is punished; teams with weak results get a lesson.',
    { every: 'quarter' },
  ),
  control(
    'Agree on rules for remote work',
    ['People', 'policy', 3],
    'The rules say which work may be done at home and abroad, how screens and paper are protected there, and what to do when a device is lost.',
  ),
  control(
    'Check the doors and cameras of the office',
    ['IT', 'premises', 4],
    'Doors to rooms with servers and files close by themselves and log each opening. Cameras show the entrances; recordings are deleted after 72 hours.',
  ),
  control(
    'Empty desks and lock screens',
    ['People', 'premises', 4],
    'A walk through the office in the evening shows if confidential paper lies on desks and if screens are locked. Screens lock by themselves after five minutes.',
  ),
  control(
    'Wipe disks before devices leave the company',
    ['IT', 'assets', 2],
    'Disks are encrypted from the first day. Before a device is sold or returned, the key is destroyed and the disk is wiped; the serial number and the date are recorded.',
  ),
  control(
    'Install security updates in time',
    ['IT', 'vulnerabilities', 1],
    'Critical updates are installed within seven days on servers and within 14 days on laptops. What cannot be updated is listed, separated and replaced by a date.',
    { gap: 'The warehouse terminals get no updates', every: 'month' },
  ),
  control(
    'Scan all servers for vulnerabilities',
    ['Security', 'vulnerabilities', 2],
    'Scanners look at every server from outside and with a sign-in from inside. Findings above a score of seven have an owner within one day.',
    { every: 'month' },
  ),
  control(
    'Protect laptops against malware',
    ['IT', 'endpoints', 2],
    'Each laptop runs the protection that reports to the central console. A device that is silent for seven days is called back.',
  ),
  control(
    'Restore a backup into an empty environment',
    ['IT', 'backup', 1],
    'A backup is restored without help from the live system, and somebody counts what came back. The time that it took is compared with the target.',
    { gap: 'The restore of the archive took longer than the target', every: 'quarter' },
  ),
  control(
    'Collect the logs of all systems in one place',
    ['Security', 'logging', 2],
    'Sign-ins, changes of rights and errors are sent to the central log within a minute. Administrators of a system cannot change its logs there. They are kept for one year.',
  ),
  control(
    'Set the clocks of all servers by one source',
    ['IT', 'logging', 4],
    'All servers take the time from two internal sources. A deviation of more than one second raises an alarm, because logs of several systems are compared.',
    {
      end: {
        status: 'not_applicable',
        reason: 'The provider sets the clocks of our machines. Its audit report covers it.',
      },
    },
  ),
  control(
    'Separate the networks of office, production and guests',
    ['IT', 'network', 3],
    'Traffic between the networks passes a firewall with rules that name a reason and an owner. Guests reach the internet and nothing else.',
  ),
  control(
    'Encrypt data at rest and on the way',
    ['IT', 'cryptography', 2],
    'Databases, disks and backups are encrypted. Connections use TLS 1.2 or newer, also between our own services. A list says where each key is kept and when it changes.',
  ),
  control(
    'Review code before it is merged',
    ['IT', 'development', 2],
    'Each change of the product is read by a second person, and tests pass before it is merged. The main branch takes no change without both.',
  ),
  control(
    'Test the product for the usual attacks',
    ['Security', 'development', 2],
    'An independent company tries to break into the product once a year. Findings are sorted by risk, and the high ones are closed before the next release.',
    { gap: 'The mobile application was not part of the last test' },
  ),
  control(
    'Keep test data free of personal data',
    ['IT', 'development', 3],
    'Test systems use invented data. Where a copy of live data is unavoidable, names and addresses are replaced first, and the copy is deleted after the test.',
  ),
] as const;
