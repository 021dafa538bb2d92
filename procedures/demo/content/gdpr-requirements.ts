import { parseRequirements } from './requirement.ts';

/** Articles of the GDPR, in our own words. */
export const GDPR_REQUIREMENTS = parseRequirements(`
Chapter 2 | Principles | We process personal data of customers, their users and employees.
Art. 5 | Data is processed by principles | Processing is lawful and fair, has a purpose, uses as little as possible, is correct, ends in time and is protected. We can show it. | Legal | part met | Collect no more; Delete data when
Art. 6 | Each purpose has a legal basis | Each purpose rests on one of the six bases, and the choice is written down. | Legal | met | Name a legal basis
Art. 7 | Consent is free and can be withdrawn | Consent is as easy to withdraw as to give, and we can prove it. | IT | not part | Check the consent banner; Prove each consent
Art. 8 | Children are protected | Parents consent for their children. | Legal | No: Only companies can order our services, so that no offer is made to a child. |
Art. 9 | Sensitive data needs an exception | Data about health or belief is processed only where the law permits it. | People | part | Give employees
Chapter 3 | Rights of people | Each person whose data we have may use these rights.
Art. 12 | Responses are clear and in time | People get a response in plain words, within a month and free of charge. | Legal | part met | Respond to requests
Art. 13 | People learn what is collected from them | A notice says who we are, what we collect and why, and how long we keep it. | Legal | part met | Rewrite the privacy notice; Give employees
Art. 14 | People learn what others gave us | Who did not give us the data themselves hears of it within a month. | Legal | | Rewrite the privacy notice
Art. 15 | People see their data | A person gets a copy of all data, and learns where it came from and went. | Legal | met | Respond to requests
Art. 16 | Data is corrected | Wrong data is corrected, also at recipients. | Legal | met | Correct and delete
Art. 17 | Data is deleted on request | Data goes unless a law keeps it. | Legal | part | Correct and delete; Delete the data of customers
Art. 20 | People take their data along | A person gets the data in a format that other services read. | IT | | Hand out data
Art. 21 | People can object | An objection to advertising ends it. | Legal | met | Respect objections
Art. 22 | People decide about people | Nobody is judged by a program alone. | Legal | No: No program decides about people here. | Explain automated
Chapter 4 | Controller and processor | We are controller for our employees, and processor for our customers.
Art. 25 | Protection is built in | New features protect most by default. | IT | part | Build privacy
Art. 28 | Processors are bound | Each processor has signed what it may do, and we check it. | Legal | not part | Sign agreements with all; Publish the list; Review the measures
Art. 30 | Processing is recorded | A record lists each processing with its purpose, people, recipients and time of deletion. | Legal | not part met | Bring the record of processing; Register which devices
Art. 32 | Data is secure | Measures fit the risk for people, and are tested. | Security | part met | Protect personal data; Encrypt data at rest; Restore a backup
Art. 33 | Authorities hear of breaches | A breach is reported within 72 hours unless there is no risk. | Security | not part | Report breaches; Practise the report
Art. 34 | People hear of breaches | Who is at high risk is told in plain words. | Legal | not | Report breaches
Art. 35 | High risks are assessed first | An assessment describes risks and measures before processing with a high risk begins. | Legal | part | Assess the impact
Art. 37 | There is a data protection officer | The officer is named, reachable and reports to the board. | Legal | met | Let the data protection officer
Chapter 5 | Transfers to other countries | Some processors are outside of the European Economic Area.
Art. 44 | Protection travels along | Data leaves the area only if it stays as protected as inside. | Legal | not part | Check transfers
Art. 45 | Some countries are as safe | For transfers to such a country the decision is recorded. | Legal | met | Check transfers
Art. 46 | Other transfers have safeguards | Contract clauses and further measures protect the data, and we checked the law of the country. | Legal | part | Check transfers
Art. 47 | Groups have binding rules | Rules that authorities have approved bind each company of a group. | Legal | No: We are one company and belong to no group. |
`);
