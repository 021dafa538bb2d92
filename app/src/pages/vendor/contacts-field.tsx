import { ActionIcon, Button, Input, TextInput } from '@mantine/core';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useId, useRef, useState } from 'react';
import { InputError } from '../../api/errors.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import type { Field } from '../../components/record/use-record.ts';
import { FieldFrame } from '../../components/record/fields/field-frame.tsx';
import type { Contact } from '../../components/vendor/choices.ts';
import { ContactLines } from './contact-lines.tsx';

interface ContactDialogProps {
  /** Missing for a new one. */
  contact: Contact | undefined;
  onClose: () => void;
  onSave: (contact: Contact) => void;
}

/** A text with one @ between other characters; the server checks the rest. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Adds or changes a contact of a vendor. */
function ContactDialog({ contact, onClose, onSave }: ContactDialogProps) {
  const { name = '', email = null, role = null } = contact ?? {};
  const form = useServerForm({ name, role: role ?? '', email: email ?? '' });
  return (
    <FormDialog
      title={contact === undefined ? 'Add contact' : 'Edit contact'}
      submitLabel="Save"
      opened
      onClose={onClose}
      form={form}
      onSubmit={async (values) => onSave(toContact(values))}
    >
      <TextInput label="Name" data-autofocus maxLength={255} {...form.text('name')} />
      <TextInput label="Role" maxLength={255} {...form.text('role')} />
      <TextInput label="Email" type="email" maxLength={254} {...form.text('email')} />
    </FormDialog>
  );
}

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
export function ContactsField({ field }: { field: Field<Contact[]> }) {
  const { value: contacts, choose, error } = field;
  /** Index of the contact that is edited; that of a new one is the number of contacts. */
  const [edited, setEdited] = useState<number>();
  const group = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = (index: number) => {
    setEdited(undefined);
    const buttons = group.current?.querySelectorAll<HTMLButtonElement>('button[data-edits]');
    [...(buttons ?? [])].find((button) => button.dataset['edits'] === String(index))?.focus();
  };
  return (
    <FieldFrame field={field}>
      <div role="group" aria-labelledby={id} ref={group}>
        <Input.Label id={id} labelElement="div">
          Contacts
        </Input.Label>
        <ContactLines
          contacts={contacts}
          actions={({ name }, index) => (
            <span className="contact-buttons">
              <ActionIcon
                variant="subtle"
                color="gray"
                size={24}
                aria-label={`Edit contact ${name}`}
                data-edits={index}
                onClick={() => setEdited(index)}
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
            </span>
          )}
        />
        {contacts.length < MAX_CONTACTS && (
          <Button
            variant="light"
            size="compact-sm"
            mt={4}
            data-edits={contacts.length}
            onClick={() => setEdited(contacts.length)}
          >
            Add contact
          </Button>
        )}
        {error !== undefined && (
          <Input.Error role="alert" mt={4}>
            {error}
          </Input.Error>
        )}
      </div>
      {edited !== undefined && (
        <ContactDialog
          contact={contacts[edited]}
          onClose={() => close(edited)}
          onSave={(contact) => choose(contacts.toSpliced(edited, 1, contact))}
        />
      )}
    </FieldFrame>
  );
}
