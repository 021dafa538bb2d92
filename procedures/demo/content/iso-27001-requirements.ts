import { parseRequirements } from './requirement.ts';

/** Requirements in the manner of ISO 27001. Numbers and texts are our own. */
export const ISO_REQUIREMENTS = parseRequirements(`
A.1 | Organisation | Customers ask for a management system, and every other rule rests on it.
A.1.1 | Rules are approved and known | Management has approved the rules of information security within the last year, and everybody who works here can read them. | Security | part met | Approve the information security policy; Publish the rules for using
A.1.2 | Every duty has a person | Each duty of information security has a named person and a deputy. Nobody checks their own work. | Security | met | Assign the roles
A.1.3 | Warnings reach us | We know which authorities and groups tell us of attacks, and judge what they tell. | Security | part met | Keep contact; Collect and judge
A.1.4 | Projects consider security | The risks of a project are known and accepted before it goes live. | Security | part | Include security
A.1.5 | Laws and contracts are known | For each law and contract with duties of information security, the duty and its owner are written down. | Legal | not met | List the laws
A.2 | Information and access | We keep data of customers and employees.
A.2.1 | Assets have an owner | Each device, system and data set is listed, with a person who answers for it. | IT | not part | Bring the inventory; Register which devices
A.2.2 | Information has a level | Each piece of information has a level of protection, which says who may see it and how it is deleted. | Security | part met | Classify information; Label confidential
A.2.3 | Information travels protected | Confidential information leaves the company only on ways that protect it. | IT | met | Agree on secure ways; Encrypt data at rest
A.2.4 | Access follows the work | People have the rights that their work needs, and lose them when it ends. | IT | not part | Review the access rights; Approve new access
A.2.5 | Each account belongs to a person | An account is that of one person, who proves it with more than a password. | IT | part met | Set up identities; Require a second factor
A.2.6 | Secrets of systems are protected | Passwords and keys of systems are kept in a vault and change. | IT | part | Rotate the passwords; Limit the administrators
A.3 | Suppliers | Large parts of the service are bought.
A.3.1 | Suppliers are judged first | The security of a supplier is judged before the contract. | Legal | met | Assess the security of suppliers
A.3.2 | Contracts name the security | Contracts say which measures the supplier takes, when it reports an incident and what we may audit. | Legal | not part | Write security into contracts; Sign agreements with all
A.3.3 | Suppliers are watched | Changes, outages and reports of critical suppliers are read and judged. | Security | part met | Watch the services; Review the measures; Review the reports
A.3.4 | We can leave a supplier | There is a plan to go on with another supplier, and it was tried. | IT | not | Plan the exit
A.4 | Incidents and continuity | Contracts promise when the service is back.
A.4.1 | Incidents follow a plan | Everybody knows whom to call, the team practises, and each incident teaches us something. | Security | part met | Practise the response; Write a report
A.4.2 | Evidence survives | What may be evidence of an incident is copied and locked away before somebody works on it. | Security | part | Keep evidence
A.4.3 | Authorities hear of breaches in time | Breaches of personal data are judged within a day. | Legal | not part | Report breaches; Practise the report
A.4.4 | The service survives the loss of a location | Data and service are back within the time that we promise. | IT | not part | Prepare the company; Restore a backup; Test the move
A.5 | People and premises | 140 people work in two offices and a warehouse.
A.5.1 | People are checked before they join | Identity and certificates are checked as far as the law permits. | People | met | Check the background
A.5.2 | People know the risks | Everybody is trained when joining and each year, and the training is tested. | People | part met | Train all employees; Send a simulated; Train teams
A.5.3 | Who leaves keeps nothing | Devices, badges and accounts end with the last day. | People | not part met | Collect devices; Close the accounts
A.5.4 | Work outside is as safe as inside | Rules say what may be done at home and abroad, and how. | People | | Agree on rules
A.5.5 | Rooms are protected | Doors, cameras and empty desks keep visitors from information. | IT | part | Check the doors; Empty desks
A.5.6 | Cables of data centres are protected | Cables for power and data cannot be cut or tapped. | IT | No: We run no data centre. The provider of the infrastructure does, and its report covers the cables. |
A.6 | Technology | We develop and run the service ourselves.
A.6.1 | Systems have no known holes | Updates are installed in time, and what cannot be updated is separated. | IT | part not | Install security updates; Scan all servers; Protect laptops
A.6.2 | What happens is recorded | Logs show who did what, cannot be changed and are read. | Security | part met | Collect the logs; Set the clocks; Watch production
A.6.3 | Networks are separated | Traffic between networks needs a reason and an owner. | IT | met | Separate the networks
A.6.4 | Changes are read and tested | A second person reads each change, and tests pass before it is released. | IT | met met | Review code; Test releases; Test the product
A.6.5 | Test data shows nobody | Test systems use invented data. | IT | | Keep test data
A.6.6 | Nothing stays on old devices | Data is destroyed before a device leaves the company. | IT | part met | Wipe disks
`);
