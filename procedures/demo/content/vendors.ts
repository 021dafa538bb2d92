/** A vendor of the company. All names are invented. */
export interface DemoVendor {
  name: string;
  description: string;
  /** 1 critical, 4 low. */
  criticality: number;
  labels: readonly string[];
  dataCategories: readonly string[];
}

/** Name | description | criticality | labels | data categories. */
const ROWS = `
Nimbus Harbor | Runs the servers and databases of the product | 1 | infrastructure, data | customer data, logs
Coldvault Archive | Keeps encrypted backups in a second country | 1 | infrastructure, backup, data | customer data
Pineframe Identity | Signs employees in to all systems | 1 | identity, data | employee data
Ledgerwell Payments | Takes payments of customers | 1 | payments, data | payment data, customer data
Brightcourier Mail | Sends mails of the product | 1 | messaging, data | email addresses
Quillstone Payroll | Pays salaries and reports taxes | 1 | personnel, data | employee data, bank details
Sablegate Monitoring | Watches the product and wakes the person on call | 1 | infrastructure, monitoring | logs
Harrowfield Networks | Connects the offices and the warehouse | 2 | infrastructure, network | connection data
Tidemark Content | Delivers images and scripts to browsers | 2 | infrastructure | IP addresses
Orchid Source | Hosts the source code and runs the tests | 2 | development | source code
Fernhill Support Desk | Keeps the tickets of customers | 2 | support, data | customer data
Copperline Telephony | Telephones and call recordings of support | 2 | support, data | call recordings
Maplecrest Recruiting | Manages applications | 2 | personnel, data | applicant data
Stonebridge Legal | Advises on contracts and data protection | 2 | legal | contracts
Kestrel Penetration Tests | Tries to break into the product each year | 2 | security | vulnerabilities
Larkspur Endpoint Guard | Protects laptops against malware | 2 | security | device data
Driftwood Analytics | Counts the use of the product | 2 | analytics, data | usage data, IP addresses
Meridian Key Store | Keeps the keys of encryption in hardware | 1 | security, infrastructure | keys
Amberfield Accounting | Books invoices and closes the year | 2 | finance, data | bank details
Redwood Freight | Ships spare parts to customers | 2 | logistics, data | addresses
Silverpine Robotics Parts | Delivers motors and sensors | 2 | production |
Granite Casting Works | Casts the frames of the robots | 2 | production |
Bluehaven Firmware | Writes the firmware of the controllers | 2 | production, development | source code
Northlight Calibration | Calibrates the sensors of the laboratory | 3 | production |
Willowbank Facility Care | Cleans and maintains the offices | 3 | premises |
Ironwood Guarding | Guards the warehouse at night | 3 | premises | visitor data
Falconridge Cameras | Runs the cameras of the warehouse | 3 | premises, data | video
Cedarpoint Shredding | Destroys paper and disks | 3 | premises, data | paper files
Marigold Catering | Delivers lunch | 4 | office |
Juniper Print House | Prints manuals | 4 | office |
Lanternlight Training | Trains employees in security and privacy | 3 | personnel | employee data
Summitview Travel | Books flights and hotels | 3 | travel, data | employee data, passport data
Pebblebrook Fleet | Leases company cars | 3 | travel | driver data
Saffron Surveys | Asks customers how satisfied they are | 3 | marketing, data | email addresses
Hollybrook Events | Organises the conference of users | 4 | marketing | email addresses
Cobalt Campaigns | Runs advertising | 3 | marketing, data | usage data
Inkwell Translations | Translates the product and its manuals | 3 | content | texts
Thistle Design Studio | Designs the product and the website | 4 | content |
Moorland Web Hosting | Hosts the public website | 3 | infrastructure, marketing | IP addresses
Candlewick Newsletter | Sends the newsletter | 3 | messaging, marketing, data | email addresses
Aspenrock Projects | Keeps plans and boards of all teams | 2 | collaboration, data | employee data
Riverstone Documents | Keeps the documents of the company | 1 | collaboration, data | contracts, employee data
Hazel Meetings | Video meetings and recordings | 2 | collaboration, data | recordings
Birchwood Chat | Messages between employees | 2 | collaboration, data | messages
Opaline Signatures | Signs contracts electronically | 2 | legal, data | contracts
Gatehouse Visitors | Registers visitors at the reception | 3 | premises, data | visitor data
Vermilion Expenses | Collects receipts and pays expenses | 3 | finance, data | bank details
Cloverleaf Bank Link | Sends payment orders to banks | 2 | finance | bank details
Palisade Insurance | Insures against cyber risks | 3 | finance |
Everglen Audit | Audits the controls once a year | 2 | audit | evidence
Wrenfield Certification | Certifies the management system | 3 | audit | evidence
Foxglove Translation Engine | Translates texts of customers by machine | 2 | data, content | customer data
Bramble Search | Finds documents in the product | 2 | infrastructure, data | customer data
Starling Maps | Shows maps of installations | 3 | infrastructure | addresses
Otterbay Speech | Turns recordings of support into text | 2 | support, data | call recordings
Peregrine Threat News | Sends reports about attacks | 3 | security |
Tamarack Domains | Registers names and certificates | 2 | infrastructure |
Goldenrod Power | Supplies electricity | 3 | premises |
Slatewater Cooling | Maintains the cooling of the server room | 3 | premises |
Verbena Benefits | Health offers for employees | 4 | personnel, data | employee data
`;

const parseList = (text: string) => text.split(',').flatMap((word) => word.trim() || []);

/** The vendors, the most important ones among the first. */
export const VENDORS: readonly DemoVendor[] = ROWS.trim()
  .split('\n')
  .map((row) => {
    const [name = '', description = '', criticality = '', labels = '', data = ''] = row
      .split('|')
      .map((cell) => cell.trim());
    return {
      name,
      description: `${description}.`,
      criticality: Number(criticality),
      labels: parseList(labels),
      dataCategories: parseList(data),
    };
  });

/** Given and family names of contacts, which are combined. All are invented. */
export const CONTACT_NAMES = {
  given: ['Alma', 'Bruno', 'Carla', 'Dario', 'Edda', 'Felix', 'Greta', 'Hugo', 'Ines', 'Jasper', 'Kira', 'Levi'],
  family: ['Ashdown', 'Brenner', 'Castell', 'Delmar', 'Engvall', 'Fabry', 'Grohl', 'Hartnell', 'Ivarsen', 'Juhasz'],
} as const;

/** Functions of contacts. */
export const CONTACT_ROLES = ['Account manager', 'Data protection officer', 'Security contact', 'Support'] as const;

/** Notes of reviews. */
export const REVIEW_NOTES = [
  'Report of the auditor read, no exception that concerns us.',
  'Certificate is valid. Questionnaire filled in completely.',
  'One open point from the last review is closed.',
  'New sub-processor, accepted after a check of its measures.',
  'Two outages since the last review, both explained. We keep the vendor.',
  'The questionnaire came late. Next review earlier than usual.',
  'Contract and data agreement are up to date.',
] as const;

/** Comments on vendors. */
export const VENDOR_COMMENTS = [
  '<p>The vendor sent the new certificate. It is attached.</p>',
  '<p>I asked for the list of sub-processors until Friday.</p>',
  '<p>The notice period is three months. We should decide early.</p>',
  '<p>Their security contact has changed. I updated the record.</p>',
  '<p>Is the data agreement signed by both sides? I find only our signature.</p>',
  '<p>Outage of 40 minutes this morning. Their report is expected tomorrow.</p>',
] as const;
