import { ActionIcon, Button, Group, Input, TextInput } from '@mantine/core';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useEffect, useId, useRef } from 'react';
import type { ReactNode } from 'react';
import { InputError } from '../../api/errors.ts';
import { openDialog } from '../form/dialog.tsx';
import { Level } from '../level.tsx';
import { FieldFrame } from '../record/fields.tsx';
import type { Field, Fields } from '../record/fields.tsx';
import { address, date, number, optionalChoice, person, status, words } from '../record/kinds.tsx';
import { criticalityOptions, criticalityText, VENDOR_STATUSES } from './choices.ts';
import type { Contact, Vendor } from './choices.ts';
import { contractWords, reviewWords } from './near-date.tsx';

interface ContactLinesProps {
  contacts: readonly Contact[];
  /** Buttons of a contact. */
  actions?: (contact: Contact, index: number) => ReactNode;
}

/** The people at a vendor: name, role and email. */
const ContactLines = ({ contacts, actions }: ContactLinesProps) => (
  <ul className="contacts">
    {contacts.map((contact, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- two contacts may be the same, and their order stays
      <li key={`${index}-${contact.name}`}>
        <span>
          {contact.name}
          {contact.role !== null && <span className="quiet">, {contact.role}</span>}
          {contact.email !== null && (
            <>
              <br />
              <a href={`mailto:${contact.email}`}>{contact.email}</a>
            </>
          )}
        </span>
        {actions?.(contact, index)}
      </li>
    ))}
  </ul>
);

/** A text with one @ between other characters; the server checks the rest. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Adds or changes a contact of a vendor. @param contact undefined for a new one */
const openContact = (contact: Contact | undefined, onSave: (contact: Contact) => void) =>
  openDialog({
    title: contact === undefined ? 'Add contact' : 'Edit contact',
    initial: { name: contact?.name ?? '', role: contact?.role ?? '', email: contact?.email ?? '' },
    fields: (form) => (
      <>
        <TextInput label="Name" data-autofocus maxLength={255} {...form.text('name')} />
        <TextInput label="Role" maxLength={255} {...form.text('role')} />
        <TextInput label="Email" type="email" maxLength={254} {...form.text('email')} />
      </>
    ),
    button: 'Save',
    submit: async (values) => onSave(toContact(values)),
  });

/** @throws InputError */
function toContact(values: Record<keyof Contact, string>): Contact {
  const [name, role, email] = [values.name.trim(), values.role.trim(), values.email.trim()];
  if (name === '') throw new InputError('name: enter a name');
  if (email !== '' && !EMAIL.test(email)) throw new InputError('email: enter an email address');
  return { name, email: email === '' ? null : email, role: role === '' ? null : role };
}

/** Contacts that a vendor may have. */
const MAX_CONTACTS = 20;

/** The people at a vendor. Each change is saved at once. */
function ContactsField({ field, label }: { field: Field<Contact[]>; label: string }) {
  const { value: contacts, choose, error } = field;
  const id = useId();
  // While the dialog is open, a merge can bring contacts of somebody else.
  const latest = useRef(field);
  useEffect(() => {
    latest.current = field;
  });
  /** @param index of a new contact, the number of contacts */
  const edit = (index: number) =>
    openContact(contacts[index], (contact) => choose(latest.current.value.toSpliced(index, 1, contact)));
  return (
    <FieldFrame field={field}>
      <div role="group" aria-labelledby={id}>
        <Input.Label id={id} labelElement="div">
          {label}
        </Input.Label>
        <ContactLines
          contacts={contacts}
          actions={({ name }, index) => (
            <Group gap={0} wrap="nowrap">
              <ActionIcon
                variant="subtle"
                color="gray"
                size={24}
                aria-label={`Edit contact ${name}`}
                onClick={() => edit(index)}
              >
                <IconPencil size={14} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={24}
                aria-label={`Remove contact ${name}`}
                onClick={() => choose(contacts.toSpliced(index, 1))}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </Group>
          )}
        />
        {contacts.length < MAX_CONTACTS && (
          <Button variant="light" size="compact-sm" mt={4} onClick={() => edit(contacts.length)}>
            Add contact
          </Button>
        )}
        {error !== undefined && (
          <Input.Error role="alert" mt={4}>
            {error}
          </Input.Error>
        )}
      </div>
    </FieldFrame>
  );
}

/** Fields of a vendor that a person edits. */
export type VendorValues = Pick<
  Vendor,
  | 'name'
  | 'description'
  | 'status'
  | 'website'
  | 'criticality'
  | 'owner'
  | 'labels'
  | 'dataCategories'
  | 'contractStart'
  | 'contractEnd'
  | 'reviewEveryMonths'
  | 'nextReview'
  | 'contacts'
>;

/** What the inputs of a vendor depend on. */
type VendorState = Pick<Vendor, 'status' | 'website' | 'nextReview' | 'contractEnd'>;

/** The fields of a vendor beside its name and text, in the order of its page. @param isPast true for an earlier state */
export const vendorFields = (vendor: VendorState, isPast = false) =>
  ({
    status: status(VENDOR_STATUSES),
    criticality: optionalChoice(criticalityOptions, (value) => <Level level={value} label={criticalityText(value)} />),
    owner: person('Make me the owner'),
    nextReview: date({ near: isPast ? undefined : reviewWords(vendor) }),
    reviewEveryMonths: number,
    website: address(vendor.website),
    contractStart: date(),
    contractEnd: date({ near: isPast ? undefined : contractWords(vendor) }),
    labels: words,
    dataCategories: words,
    contacts: {
      input: (field, label) => <ContactsField field={field} label={label} />,
      text: (contacts) => contacts.length > 0 && <ContactLines contacts={contacts} />,
    },
  }) satisfies Fields<VendorValues>;
