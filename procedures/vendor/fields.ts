import { z } from 'zod';
import {
  CONTACT_LIMITS,
  CRITICALITY,
  REVIEW_MONTHS,
  VENDOR_STATUSES,
  vendorResource,
} from '../../entities/vendor/vendor.ts';
import {
  booleanInput,
  enumInput,
  expected,
  forModels,
  integerInput,
  integerOutput,
  maxLength,
  nameInput,
  nameOf,
  textOutput,
  trimmedText,
  uniqueIdOutput,
  userIdInput,
} from '../../entities/fields/schemas.ts';
import { HTML_OUTPUT, descriptionInput } from '../../entities/fields/html/input.ts';
import { httpUrlInput } from '../../entities/fields/url.ts';
import { nullableDate } from '../../entities/fields/dates.ts';
import { labelsField } from '../../entities/fields/labels.ts';

export const status = enumInput(VENDOR_STATUSES)
  .meta({ description: 'Whether the company uses the vendor; an `archived` one is kept for the records' })
  .register(forModels, { description: undefined });
const active = booleanInput
  .meta({ description: 'Whether the status is `active`' })
  .register(forModels, { description: undefined });

export const CRITICALITY_DESCRIPTION = '1 critical, 2 high, 3 medium, 4 low';

const CONTACT = { name: 'Name of the person', email: 'Email address', role: 'What the person does, in free text' };

const contactText = (max: number) => trimmedText(max).nullable().default(null);

const CONTACT_DESCRIPTION = 'A person at the vendor';

const contactInput = z
  .strictObject(
    {
      name: nameOf(CONTACT_LIMITS.name)
        .meta({ description: CONTACT.name })
        .register(forModels, { description: undefined }),
      email: contactText(CONTACT_LIMITS.email)
        .pipe(z.email(expected('an email address')).nullable())
        .meta({ description: CONTACT.email })
        .register(forModels, { description: undefined }),
      role: contactText(CONTACT_LIMITS.role)
        .meta({ description: CONTACT.role })
        .register(forModels, { description: undefined }),
    },
    expected('an object'),
  )
  .meta({ id: 'NewContact', description: CONTACT_DESCRIPTION })
  .register(forModels, { description: undefined });

const ContactOutput = z
  .object({
    name: textOutput(CONTACT_LIMITS.name, 'Ada Berg', CONTACT.name),
    email: textOutput(CONTACT_LIMITS.email, 'ada@cloud.example', CONTACT.email).nullable(),
    role: textOutput(CONTACT_LIMITS.role, 'Account manager', CONTACT.role).nullable(),
  })
  .meta({ id: 'Contact', description: CONTACT_DESCRIPTION });

/** A date that may be unknown. */
const dateField = (description: string) =>
  nullableDate.meta({ description }).register(forModels, { description: undefined });
const CONTRACT_END = 'Last day of the contract';
const contractStart = dateField('First day of the contract');
const nextReview = dateField('Day on which the next review is due');

const WEBSITE = 'http or https URL of the vendor';

/** A month count from one review to the next. */
const months = integerInput(REVIEW_MONTHS.min, REVIEW_MONTHS.max)
  .meta({ description: 'Months from a review to the next one', format: 'int32' })
  .register(forModels, { description: undefined });

/** Every field of a vendor. A create takes all of them except `status`. */
export const vendorFields = {
  name: {
    input: nameInput('Vendor name. Duplicates are allowed.').register(forModels, { description: undefined }),
    output: textOutput(vendorResource.maxLengths.name, 'Cloud Ltd', 'Name of the vendor, which others may have too'),
  },
  description: {
    input: descriptionInput,
    output: textOutput(vendorResource.maxLengths.description, '<p>Hosts our <b>production</b>.</p>', HTML_OUTPUT),
  },
  active: { input: active, output: active },
  status: { input: status, output: status },
  website: {
    input: httpUrlInput(vendorResource.maxLengths.website)
      .meta({ description: `${WEBSITE}, without user info` })
      .register(forModels, { description: undefined })
      .nullable(),
    output: textOutput(vendorResource.maxLengths.website, 'https://cloud.example', WEBSITE).nullable(),
  },
  criticality: {
    input: integerInput(CRITICALITY.min, CRITICALITY.max)
      .meta({ description: CRITICALITY_DESCRIPTION, format: 'int32' })
      .register(forModels, { description: '1 critical to 4 low' })
      .nullable(),
    output: integerOutput(CRITICALITY.min, CRITICALITY.max, CRITICALITY_DESCRIPTION)
      .meta({ examples: [2] })
      .nullable(),
  },
  ownerId: {
    input: userIdInput('An active member').register(forModels, { description: 'Id from `member_list`' }).nullable(),
    output: uniqueIdOutput.meta({ description: 'uniqueId of the owner' }).nullable(),
  },
  labels: labelsField('labels', 'hosting'),
  dataCategories: labelsField('data categories', 'customer data'),
  contractStart: { input: contractStart, output: contractStart },
  contractEnd: {
    input: nullableDate
      .meta({ description: `${CONTRACT_END}, not before contractStart, whether one or both are sent` })
      .register(forModels, { description: undefined }),
    output: nullableDate.meta({ description: CONTRACT_END }),
  },
  reviewEveryMonths: {
    input: months.nullable(),
    output: integerOutput(REVIEW_MONTHS.min, REVIEW_MONTHS.max, 'Months from a review to the next one')
      .meta({ examples: [12] })
      .nullable(),
  },
  nextReview: { input: nextReview, output: nextReview },
  contacts: {
    input: z
      .array(contactInput, expected('an array of contacts'))
      .check(maxLength(CONTACT_LIMITS.max, expected(`at most ${CONTACT_LIMITS.max} contacts`)))
      .meta({ description: `Replaces all contacts. At most ${CONTACT_LIMITS.max}.` })
      .register(forModels, { description: undefined }),
    output: z.array(ContactOutput).meta({
      maxItems: CONTACT_LIMITS.max,
      description: 'People at the vendor, in the order in which they were sent',
    }),
  },
};
