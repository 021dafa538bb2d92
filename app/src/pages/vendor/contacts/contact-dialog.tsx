import { TextInput } from '@mantine/core';
import { InputError } from '../../../api/errors.ts';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { useServerForm } from '../../../components/form/use-server-form.ts';
import type { Contact } from '../../../components/vendor/choices.ts';

interface ContactDialogProps {
  /** Missing for a new one. */
  contact: Contact | undefined;
  onClose: () => void;
  onSave: (contact: Contact) => void;
}

/** A text with one @ between other characters; the server checks the rest. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Adds or changes a contact of a vendor. */
export function ContactDialog({ contact, onClose, onSave }: ContactDialogProps) {
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
