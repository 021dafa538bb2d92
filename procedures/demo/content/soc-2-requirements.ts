import { parseRequirements } from './requirement.ts';

/** Criteria in the manner of SOC 2. The texts and the numbers within each group are our own. */
export const SOC_2_REQUIREMENTS = parseRequirements(`
CC1 | Integrity and leadership | Customers rely on the people who run the service.
CC1.1 | People commit to a code | Everybody confirms the code of conduct, and can report a breach of it without a name. | People | met | Confirm the code
CC1.2 | The board oversees risks | The board sees the largest risks and decides which ones it accepts. | Security | met | Show the board
CC1.3 | Responsibilities are drawn | A chart shows who reports to whom, and who may approve what. | People | met part | Draw the chart; Assign the roles
CC1.4 | Skills fit the position | Positions name the skills that they need, and people are trained for them. | People | part | Measure skills; Train all employees
CC2 | Communication | Customers must know what they may expect.
CC2.1 | Rules reach everybody | Who works here can read the rules and hears of changes. | Security | met | Approve the information security policy
CC2.2 | Customers know the system | A description says what belongs to the service, what we promise and what customers do themselves. | Security | not part | Describe the system; Publish commitments
CC2.3 | Customers can report problems | A report reaches a person within the promised time. | IT | met | Give customers
CC3 | Risks | The promises of the contracts can be missed.
CC3.1 | Risks are assessed each year | Each risk has a likelihood, a damage, an owner and a treatment. | Security | part met | Assess the risks
CC3.2 | Fraud is considered | The assessment asks who could gain from cheating. | Security | | Consider fraud
CC3.3 | Changes are judged | New products, markets and suppliers are judged before they begin. | Security | part | Judge changes; Include security
CC4 | Monitoring | A control that nobody checks stops working.
CC4.1 | Controls are tested | Somebody who does not run a control tests it. | Security | met | Check that the controls
CC4.2 | Findings are closed | Each finding has an owner and a date, and the board hears of late ones. | Security | not part | Close the findings
CC6 | Access | The service holds data of customers.
CC6.1 | Sign-ins have two factors | People prove who they are with more than a password. | IT | met | Require a second factor; Set up identities
CC6.2 | Access is approved first | The owner of a system approves each right before it is given, and reads the list each quarter. | IT | part | Approve new access; Review the access rights
CC6.3 | Access ends with the work | Accounts are closed within a day. | IT | not part | Close the accounts; Collect devices
CC6.4 | Few can change production | Rights to change production are few, short and recorded. | IT | not | Limit the administrators; Rotate the passwords
CC6.5 | Server rooms are locked | Only few people enter the rooms of the service. | IT | No: The service runs at a provider, whose report covers its rooms. |
CC7 | Operations | The service runs day and night.
CC7.1 | Weaknesses are found first | We look for holes before others find them. | Security | part | Scan all servers; Test the product
CC7.2 | Attacks are noticed | Signs of an attack raise an alarm that reaches a person. | Security | met | Watch production; Collect the logs
CC7.3 | Incidents are handled and reviewed | Alarms are answered in the promised time, and each incident has a report. | Security | part met | Respond to alarms; Write a report; Practise the response
CC8 | Changes | Each release can break a promise.
CC8.1 | Releases are tested and approved | A release passes tests, and a person approves it. | IT | met | Test releases; Review code
CC8.2 | Emergency changes are recorded | A change without approval is read and approved afterwards. | IT | | Record emergency
CC9 | Suppliers | The service depends on providers.
CC9.1 | Reports of suppliers are read | We read the audit reports of providers and have the controls that they expect of us. | Security | part | Review the reports; Watch the services
A1 | Availability | Contracts promise it.
A1.1 | Capacity is planned | Growth is measured, and capacity comes before it is needed. | IT | | Plan the capacity
A1.2 | The service moves | The service runs in the second region within the promised time. | IT | not part | Test the move; Prepare the company; Restore a backup
C1 | Confidentiality | Contracts promise it.
C1.1 | Confidential data is protected | Confidential data is known, labelled and encrypted. | Security | met | Classify information; Encrypt data at rest
C1.2 | Confidential data is deleted | Data of customers goes after the end of the contract, and they hear of it. | Legal | part | Delete the data of customers
PI1 | Processing | The results of the service must be right.
PI1.1 | Results are complete | What goes out is what came in. | IT | No: There are no nightly runs any more: data is processed as it comes. | Check that results
`);
