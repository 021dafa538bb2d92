import type { ReactNode } from 'react';
import type { Contact } from '../../components/vendor/choices.ts';
import './contacts.css';

interface ContactLinesProps {
  contacts: readonly Contact[];
  /** Buttons of a contact. */
  actions?: (contact: Contact, index: number) => ReactNode;
}

/** The people at a vendor: name, role and email. */
export const ContactLines = ({ contacts, actions }: ContactLinesProps) => (
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
