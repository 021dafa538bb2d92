import type { Field } from '../../../components/record/edits/use-record.ts';
import {
  AddressField,
  Choice,
  DateField,
  NumberField,
  OptionalChoice,
  Words,
} from '../../../components/record/fields/inputs.tsx';
import { PersonField } from '../../../components/record/fields/person-field.tsx';
import { fieldLabel } from '../../../components/record/values.ts';
import { StatusSwatch, statusOptions } from '../../../components/status-dot.tsx';
import { VENDOR_STATUSES, criticalityOptions } from '../../../components/vendor/choices.ts';
import type { Vendor } from '../../../components/vendor/choices.ts';
import { NearNote, contractWords, reviewWords } from '../../../components/vendor/near-date.tsx';
import { ContactsField } from '../contacts/contacts-field.tsx';
import { WebsiteLink } from './website-link.tsx';

/** Fields of a vendor that a person edits on its page. */
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

interface VendorFieldsProps {
  vendor: Vendor;
  field: <Name extends keyof VendorValues>(name: Name) => Field<VendorValues[Name]>;
}

/** The fields of a vendor beside its text. */
export function VendorFields({ vendor, field }: VendorFieldsProps) {
  return (
    <>
      <Choice
        label="Status"
        field={field('status')}
        options={statusOptions(VENDOR_STATUSES)}
        icon={(value) => <StatusSwatch status={value} />}
      />
      <OptionalChoice label="Criticality" field={field('criticality')} options={criticalityOptions} />
      <PersonField label="Owner" toMe="Make me the owner" field={field('owner')} />
      <DateField label="Next review" field={field('nextReview')} note={<NearNote near={reviewWords(vendor)} />} />
      <NumberField label={fieldLabel('reviewEveryMonths')} field={field('reviewEveryMonths')} />
      <AddressField
        label="Website"
        field={field('website')}
        note={vendor.website !== null && <WebsiteLink href={vendor.website} />}
      />
      <DateField label="Contract start" field={field('contractStart')} />
      <DateField label="Contract end" field={field('contractEnd')} note={<NearNote near={contractWords(vendor)} />} />
      <Words label="Labels" field={field('labels')} />
      <Words label="Data categories" field={field('dataCategories')} />
      <ContactsField field={field('contacts')} />
    </>
  );
}
