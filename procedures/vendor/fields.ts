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
  integerInput,
  maxLength,
  nameInput,
  trimmedText,
  uniqueIdOutput,
  userIdInput,
} from '../schemas/fields.ts';
import { forModels } from '../schemas/for-models.ts';
import { descriptionInput } from '../schemas/html/input.ts';
import { integerOutput, textOutput } from '../schemas/output.ts';
import { httpUrlInput } from '../schemas/url.ts';
import { nullableDate } from '../schemas/values/dates.ts';
import { labelsField } from '../schemas/values/labels.ts';

export const status = enumInput(VENDOR_STATUSES);
const active = booleanInput
  .meta({ description: 'Whether the status is `active`' })
  .register(forModels, { description: undefined });

export const CRITICALITY_DESCRIPTION = '1 critical, 2 high, 3 medium, 4 low';

const contactText = (max: number) => trimmedText(max).nullable().default(null);

const contactInput = z
  .strictObject(
    {
      name: trimmedText(CONTACT_LIMITS.name),
      email: contactText(CONTACT_LIMITS.email).pipe(z.email(expected('an email address')).nullable()),
      role: contactText(CONTACT_LIMITS.role),
    },
    expected('an object'),
  )
  .meta({ id: 'NewContact' });

const ContactOutput = z
  .object({
    name: textOutput(CONTACT_LIMITS.name, 'Ada Berg'),
    email: textOutput(CONTACT_LIMITS.email, 'ada@cloud.example').nullable(),
    role: textOutput(CONTACT_LIMITS.role, 'Account manager').nullable(),
  })
  .meta({ id: 'Contact' });

/** A month count from one review to the next. */
const months = integerInput(REVIEW_MONTHS.min, REVIEW_MONTHS.max)
  .meta({ description: 'Months from a review to the next one', format: 'int32' })
  .register(forModels, { description: undefined });

/** Every field of a vendor. A create takes all of them except `status`. */
export const vendorFields = {
  name: {
    input: nameInput('Vendor name. Duplicates are allowed.').register(forModels, { description: undefined }),
    output: textOutput(vendorResource.maxLengths.name, 'Cloud Ltd'),
  },
  description: {
    input: descriptionInput,
    output: textOutput(vendorResource.maxLengths.description, '<p>Hosts our <b>production</b>.</p>'),
  },
  active: { input: active, output: active },
  status: { input: status, output: status },
  website: {
    input: httpUrlInput(vendorResource.maxLengths.website).nullable(),
    output: textOutput(vendorResource.maxLengths.website, 'https://cloud.example').nullable(),
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
    output: uniqueIdOutput.nullable(),
  },
  labels: labelsField('labels', 'hosting'),
  dataCategories: labelsField('data categories', 'customer data'),
  contractStart: { input: nullableDate, output: nullableDate },
  contractEnd: {
    input: nullableDate
      .meta({ description: 'Not before contractStart, whether one or both are sent' })
      .register(forModels, { description: undefined }),
    output: nullableDate,
  },
  reviewEveryMonths: {
    input: months.nullable(),
    output: integerOutput(REVIEW_MONTHS.min, REVIEW_MONTHS.max, 'Months from a review to the next one')
      .meta({ examples: [12] })
      .nullable(),
  },
  nextReview: { input: nullableDate, output: nullableDate },
  contacts: {
    input: z
      .array(contactInput, expected('an array of contacts'))
      .check(maxLength(CONTACT_LIMITS.max, expected(`at most ${CONTACT_LIMITS.max} contacts`)))
      .meta({ description: `Replaces all contacts. At most ${CONTACT_LIMITS.max}.` })
      .register(forModels, { description: undefined }),
    output: z.array(ContactOutput).meta({ maxItems: CONTACT_LIMITS.max }),
  },
};
