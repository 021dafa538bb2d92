import { ActionIcon, Button, Input } from '@mantine/core';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useId, useRef, useState } from 'react';
import type { Field } from '../../../components/record/edits/use-record.ts';
import { FieldFrame } from '../../../components/record/fields/field-frame.tsx';
import type { Contact } from '../../../components/vendor/choices.ts';
import { ContactLines } from './contact-lines.tsx';
import { ContactDialog } from './contact-dialog.tsx';

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
