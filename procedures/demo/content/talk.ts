/** Comments on tasks, by the state in which they are written. `@` is replaced by the mention of a colleague. */
export const COMMENTS = {
  begun: [
    '<p>I have the lists from all owners but two. Reminder sent.</p>',
    '<p>Started with the systems that customers see. The rest follows next week.</p>',
    '<p>The text of last year is a good start. I marked what has changed.</p>',
    '<p>Meeting with the team is on Thursday. I collect questions until then.</p>',
    '<p>@ can you tell me who owns the warehouse system now?</p>',
    '<p>First draft is done. <b>Two points</b> need a decision:</p><ul><li>Who approves exceptions?</li><li>How long do we keep the lists?</li></ul>',
    '<p>Waiting for the vendor. I sent a reminder today.</p>',
    '<p>The old procedure does not fit any more, so I write a new one.</p>',
  ],
  asked: [
    '<p>@ please look at it before Friday.</p>',
    '<p>Ready for review. The evidence is attached.</p>',
    '<p>@ is the sample large enough? I took 25 of 180.</p>',
    '<p>Reviewed by two people. One sentence is still open.</p>',
    '<p>Please check the dates in the table, I copied them by hand.</p>',
  ],
  done: [
    '<p>Done. The result is attached, with the names of those who checked it.</p>',
    '<p>Finished one day early. Next time we should begin with the list of contractors.</p>',
    '<p>Closed after the review. Three rights were removed.</p>',
    '<p>All points are settled. Thanks to everybody who helped.</p>',
    '<p>Done, with one exception that management has accepted until the end of the year.</p>',
  ],
  late: [
    '<p>This will be late: the owner is ill. New date after the holidays.</p>',
    '<p>@ we wait for the budget. Can you ask again?</p>',
  ],
} as const;

/** Notes of assessments, by their result. */
export const ASSESSMENT_NOTES = {
  met: [
    'Sample of 25 items without an exception.',
    'Shown to the auditor, who had no question.',
    'The rules are written down, known and followed.',
    'Two points of the last assessment are closed.',
  ],
  partly_met: [
    'Works for the systems that customers see, not yet for the warehouse.',
    'The rules are there. The evidence of one quarter is missing.',
    'Good in two teams of three. The third one begins next month.',
    'An exception has no date of its end.',
  ],
  not_met: [
    'Nothing is written down, and each team does it in its own way.',
    'The sample had six exceptions of ten.',
    'Nobody was responsible until now.',
  ],
} as const;

/** Comments on requirements. */
export const REQUIREMENT_COMMENTS = [
  '<p>The auditor will ask for a sample of the last quarter. Let us draw it now.</p>',
  '<p>The text of our rule says more than we do. I would rather change the rule.</p>',
  '<p>@ are the contractors in scope here?</p>',
  '<p>This one and the one of the other framework need the same evidence. I linked the task to both.</p>',
  '<p>Met for two years now. We could assess it once a year only.</p>',
] as const;

/** Tasks that the keys report, without a control. */
export const REPORTED = [
  { actor: 'scanner', title: 'Outdated TLS library on the report server', priority: 1, daysAgo: 21 },
  { actor: 'scanner', title: 'Admin page of the test system reachable from outside', priority: 1, daysAgo: 12 },
  { actor: 'scanner', title: 'Certificate of the file exchange ends in 30 days', priority: 2, daysAgo: 9 },
  { actor: 'tickets', title: 'Customer asks for the list of sub-processors', priority: 3, daysAgo: 34 },
  { actor: 'tickets', title: 'Customer asks for the result of the penetration test', priority: 3, daysAgo: 5 },
] as const;

/** Names of evidence. */
export const EVIDENCE_NAMES = {
  report: ['Report', 'Minutes', 'Signed checklist', 'List with decisions', 'Test protocol'],
  picture: ['Screenshot of the settings', 'Chart of the results', 'Screenshot of the list'],
  link: ['Page in the wiki', 'Ticket with the discussion'],
} as const;

/** Lines in the reports of evidence. */
export const REPORT_LINES = [
  'Scope: all systems that hold data of customers or employees.',
  'Method: lists were exported, compared, and confirmed by each owner.',
  'Sample: 25 of 180 items, drawn at random.',
  'Result: no exception that needs a change of the risk.',
  'Open points have an owner and a date.',
] as const;
