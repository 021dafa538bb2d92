import { z } from 'zod';
import { describeInput } from '../fields/kind.ts';
import { expected, maxLength, nameOf, textOutput, trimmedText } from '../fields/schemas.ts';
import { json } from '../fields/values.ts';

const MAX_CONTACTS = 20;
/** Lengths are in characters. */
const NAME = { max: 255, description: 'Name of the person', forModels: null };
const EMAIL = { max: 254, description: 'Email address', forModels: null };
const ROLE = { max: 255, description: 'What the person does, in free text', forModels: null };
const CONTACT = { description: 'A person at the vendor', forModels: null };

const optionalText = (max: number) => trimmedText(max).nullable().default(null);

const ContactInput = z.strictObject(
  {
    name: describeInput(nameOf(NAME.max), NAME),
    email: describeInput(optionalText(EMAIL.max).pipe(z.email(expected('an email address')).nullable()), EMAIL),
    role: describeInput(optionalText(ROLE.max), ROLE),
  },
  expected('an object'),
);

const ContactOutput = z
  .object({
    name: textOutput(NAME.max, 'Ada Berg', NAME.description),
    email: textOutput(EMAIL.max, 'ada@cloud.example', EMAIL.description).nullable(),
    role: textOutput(ROLE.max, 'Account manager', ROLE.description).nullable(),
  })
  .meta({ id: 'Contact', description: CONTACT.description });

/** The people at a vendor. */
export const contacts = () =>
  json(
    describeInput(
      z
        .array(describeInput(ContactInput, CONTACT, { id: 'NewContact' }), expected('an array of contacts'))
        .check(maxLength(MAX_CONTACTS, expected(`at most ${MAX_CONTACTS} contacts`))),
      { description: `Replaces all contacts. At most ${MAX_CONTACTS}.`, forModels: null },
    ),
    z.array(ContactOutput).meta({
      maxItems: MAX_CONTACTS,
      description: 'People at the vendor, in the order in which they were sent',
    }),
    {
      personal: 'content',
      check: { suffix: '_max', condition: (column) => `jsonb_array_length(${column}) <= ${MAX_CONTACTS}` },
    },
  );
