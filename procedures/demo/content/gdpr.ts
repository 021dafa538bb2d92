import { control } from './control.ts';

/** Duties in the manner of the GDPR, in our own words. */
export const GDPR = [
  control(
    'Bring the record of processing up to date',
    ['Legal', 'records', 1],
    'The record lists each processing of personal data: purpose, legal basis, people, categories, recipients, transfers, and the time of deletion. Each entry has an owner who confirms it.',
    { gap: 'Two new tools were not in the record', every: 'halfYear' },
  ),
  control(
    'Name a legal basis for each purpose',
    ['Legal', 'records', 2],
    'Each purpose rests on one basis: consent, contract, legal duty, vital interest, public task or legitimate interest. For legitimate interest, the balance is written down.',
  ),
  control(
    'Collect no more than the purpose needs',
    ['Legal', 'principles', 3],
    'Forms and interfaces are compared with their purpose. A field without a reason is removed, and what it had collected is deleted.',
  ),
  control(
    'Rewrite the privacy notice of the website',
    ['Legal', 'notices', 2],
    'The notice says in plain words who we are, what we collect and why, with whom we share it, how long we keep it, and which rights people have.',
  ),
  control(
    'Give employees their own privacy notice',
    ['People', 'notices', 3],
    'Employees and applicants learn what is stored about them, from the first contact to deletion. The notice names the systems and the reasons.',
  ),
  control(
    'Check the consent banner',
    ['IT', 'consent', 2],
    'Nothing that needs consent is loaded before somebody has agreed. Saying no takes as many clicks as saying yes. The choice can be changed later.',
    { gap: 'One script loaded before the choice', every: 'quarter' },
  ),
  control(
    'Prove each consent',
    ['IT', 'consent', 3],
    'For each consent we can show who gave it, when, to which text, and if it was withdrawn. Withdrawing works with one click.',
  ),
  control(
    'Respond to requests for access within a month',
    ['Legal', 'rights', 1],
    'A request is confirmed within two days, the identity is checked with as little data as possible, and the response leaves within a month. Times are measured.',
  ),
  control(
    'Correct and delete data on request',
    ['Legal', 'rights', 2],
    'Corrections reach all systems and recipients. Only a reason of the law prevents a deletion, and the person hears it.',
  ),
  control(
    'Hand out data in a common format',
    ['IT', 'rights', 3],
    'A person gets the data that they gave us as a file that other services can read, without a fee.',
  ),
  control(
    'Respect objections to advertising',
    ['Legal', 'rights', 2],
    'An objection ends all advertising to the person within a day. A list of objections is checked before each sending.',
  ),
  control(
    'Explain automated decisions',
    ['Legal', 'rights', 3],
    'Where a program decides about people, they learn of it, can ask a person to look again, and get the reasons in plain words.',
    {
      end: {
        status: 'not_applicable',
        reason: 'No program decides about people here. Confirmed with the legal department.',
      },
    },
  ),
  control(
    'Build privacy into new features',
    ['IT', 'design', 2],
    'The description of a feature names the personal data, the shortest storage that works, and the setting that protects most by default.',
  ),
  control(
    'Sign agreements with all processors',
    ['Legal', 'processors', 1],
    'Each provider that works with our personal data has signed an agreement with purpose, measures, sub-processors, audits and deletion. Without it, no data leaves.',
    { gap: 'The agreement with one provider had run out', vendors: 'data' },
  ),
  control(
    'Publish the list of sub-processors',
    ['Legal', 'processors', 3],
    'Customers find all sub-processors with place and purpose on one page, and can object to a new one within 14 days.',
    { vendors: 'infrastructure' },
  ),
  control(
    'Review the measures of processors',
    ['Security', 'processors', 2],
    'Reports, certificates and questionnaires of the processors with sensitive data are read, and open points are followed up.',
    { every: 'halfYear', vendors: 'data' },
  ),
  control(
    'Check transfers to other countries',
    ['Legal', 'transfers', 2],
    'For each transfer out of the European Economic Area we know the instrument, the law of the country and the measures that we added.',
    { vendors: 'data' },
  ),
  control(
    'Protect personal data by its risk',
    ['Security', 'security', 2],
    'Measures fit the risk for people: pseudonyms, encryption, access by role, backups, and tests of all of them. The choice is written down.',
  ),
  control(
    'Report breaches within 72 hours',
    ['Security', 'breach', 1],
    'Everybody knows whom to call. The team decides within a day if the authority and the people must hear of it, and records each breach, also a small one.',
    { gap: 'The form for reports was known to few' },
  ),
  control(
    'Practise the report of a breach',
    ['Legal', 'breach', 3],
    'The legal and security teams write a report for an invented breach against the clock, with the facts that are known after ten hours.',
  ),
  control(
    'Assess the impact of video in the warehouse',
    ['Legal', 'assessment', 3],
    'The assessment describes the cameras, why nothing milder works, the risks for people, and the measures. The works council has read it.',
    { end: { status: 'canceled', reason: 'The new cameras are not installed after all.' } },
  ),
  control(
    'Assess the impact of the recommendation engine',
    ['Legal', 'assessment', 2],
    'The assessment describes data, purpose, necessity, risks and measures. If a high risk stays, we ask the authority first.',
  ),
  control(
    'Let the data protection officer report',
    ['Legal', 'governance', 3],
    'The officer reports to the board each year: requests, breaches, audits and advice that was not followed. The report is kept.',
  ),
  control(
    'Delete data when its time is over',
    ['IT', 'retention', 2],
    'Each data set has a time of deletion, and a job that deletes. The log of the job shows how many records went, and what stayed for which reason.',
    { every: 'month' },
  ),
  control(
    'Train teams that work with personal data',
    ['People', 'training', 3],
    'Support, sales and personnel practise with cases from their own work: what they may look up, share and store, and for how long.',
  ),
  control(
    'Register which devices hold personal data',
    ['IT', 'records', 4],
    'The inventory marks devices with personal data. They are encrypted, can be wiped from afar, and are not taken abroad without approval.',
  ),
] as const;
