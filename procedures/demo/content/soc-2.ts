import { control } from './control.ts';

/** Controls in the manner of SOC 2, in our own words. */
export const SOC_2 = [
  control(
    'Confirm the code of conduct',
    ['People', 'ethics', 3],
    'Each employee confirms the code of conduct when joining and once a year. The confirmation is kept with the date. A hotline takes reports without a name.',
  ),
  control(
    'Show the board how risks develop',
    ['Security', 'governance', 2],
    'The board sees the ten largest risks, their trend and what was done, and decides which ones it accepts. The minutes record the decision.',
    { every: 'quarter' },
  ),
  control(
    'Draw the chart of responsibilities',
    ['People', 'governance', 4],
    'A chart shows who reports to whom, and who may approve spending, access and releases. It is updated within a month after a change.',
  ),
  control(
    'Measure skills and plan training',
    ['People', 'governance', 4],
    'Each position has a description with the skills that it needs. Managers compare them with those of the person once a year, and plan training.',
    { end: { status: 'canceled', reason: 'The programme of the personnel department covers it.' } },
  ),
  control(
    'Describe the system for customers',
    ['Security', 'communication', 2],
    'A description says what the service does, which parts belong to it, what we promise, and what customers must do themselves. It is what the auditor reads first.',
    { gap: 'The description does not name the new region' },
  ),
  control(
    'Publish commitments and changes',
    ['Legal', 'communication', 3],
    'Customers find our commitments on one page, and hear of a change that concerns them 30 days before it.',
  ),
  control(
    'Give customers a way to report problems',
    ['IT', 'communication', 3],
    'Problems reach a person within the time that the contract promises. Each report has a number, an owner and a response.',
  ),
  control(
    'Assess the risks of the year',
    ['Security', 'risk', 1],
    'We look at what could keep us from our commitments: technology, people, suppliers, fraud and law. Each risk has a likelihood, a damage, an owner and a treatment.',
  ),
  control(
    'Consider fraud in the assessment of risks',
    ['Security', 'risk', 3],
    'The assessment asks who could gain from cheating, how it would be noticed, and which duties must be separated.',
  ),
  control(
    'Judge changes that bring new risks',
    ['Security', 'risk', 3],
    'New markets, products, suppliers and leaders are judged before they begin. The judgement is part of the decision.',
  ),
  control(
    'Check that the controls work',
    ['Security', 'monitoring', 2],
    'Somebody who does not run a control takes a sample and checks if it worked in the period. Exceptions are listed with their cause.',
    { every: 'quarter' },
  ),
  control(
    'Close the findings of the last audit',
    ['Security', 'monitoring', 1],
    'Each finding has an owner, a date and evidence that it is closed. Findings that are late are reported to the board.',
    { gap: 'Two findings of the last audit are still open' },
  ),
  control(
    'Require a second factor for every sign-in',
    ['IT', 'access', 1],
    'People sign in with a password and a second factor, or with a passkey. Exceptions are technical accounts, which are listed and limited to addresses.',
  ),
  control(
    'Approve new access before it is given',
    ['IT', 'access', 2],
    'A request names the system, the role and the reason, and the owner of the system approves it. Rights that are not used for 90 days are removed.',
  ),
  control(
    'Close the accounts of people who left',
    ['IT', 'access', 1],
    'Accounts are closed within 24 hours after the last day. The list of people who left is compared with the accounts of every system.',
    { every: 'month' },
  ),
  control(
    'Limit the administrators of production',
    ['IT', 'access', 2],
    'At most six people may change production, each with an account for that alone. Sessions are recorded, and rights end after eight hours.',
    { gap: 'The number of administrators is above the limit' },
  ),
  control(
    'Watch production for signs of attacks',
    ['Security', 'operations', 2],
    'Rules look for unusual sign-ins, traffic and changes. An alarm reaches the person on call within five minutes, at any hour.',
  ),
  control(
    'Respond to alarms in the promised time',
    ['Security', 'operations', 2],
    'Alarms are sorted by severity within 15 minutes. The times are measured and shown to the team each month.',
  ),
  control(
    'Write a report after each incident',
    ['Security', 'operations', 3],
    'The report says what happened, what the damage was, why it was possible and what changes. It blames nobody.',
  ),
  control(
    'Test releases before production',
    ['IT', 'change', 2],
    'A release passes tests in an environment like production, and a person approves it. The way back is written down and was tried.',
  ),
  control(
    'Record emergency changes afterwards',
    ['IT', 'change', 3],
    'A change without approval is possible when the service is down. It is recorded, read by a second person and approved within one working day.',
  ),
  control(
    'Plan the capacity of the next year',
    ['IT', 'availability', 3],
    'Measured growth and planned customers give the capacity that is needed. The service has one third more than the busiest hour needs.',
  ),
  control(
    'Test the move to the second region',
    ['IT', 'availability', 2],
    'Once a year the service runs for a day in the second region. Customers hear of it before. Errors and times are compared with the commitments.',
    { vendors: 'infrastructure' },
  ),
  control(
    'Delete the data of customers who left',
    ['Legal', 'confidentiality', 2],
    'Data of a customer is deleted 30 days after the end of the contract, in backups after 90 days. The customer gets a confirmation.',
  ),
  control(
    'Check that results are complete',
    ['IT', 'integrity', 3],
    'Each nightly run compares what came in with what went out. A difference stops the next step and raises an alarm.',
    { end: { status: 'not_applicable', reason: 'There are no nightly runs any more: data is processed as it comes.' } },
  ),
  control(
    'Review the reports of sub-service providers',
    ['Security', 'vendors', 2],
    'We read the audit reports of the providers on which the service depends, note the controls that they expect of us, and check that we have them.',
    { vendors: 'critical', gap: 'The report of one provider covers only nine months' },
  ),
] as const;
