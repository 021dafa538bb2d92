import { Pill } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Field } from '../../../components/record/edits/use-record.ts';
import { inputProps } from '../../../components/record/fields/field-frame.tsx';
import { useVendorNames } from '../../../components/vendor/use-vendor-names.ts';
import { VendorsInput } from '../../../components/vendor/vendors-input.tsx';

interface VendorsFieldProps {
  field: Field<string[]>;
  /** Puts the focus on the field. */
  autoFocus: boolean;
}

/** The vendors of a task with links to their pages. A choice is saved at once. */
export const VendorsField = ({ field, autoFocus }: VendorsFieldProps) => (
  <VendorsInput
    {...inputProps(field)}
    autoFocus={autoFocus}
    vendors={useVendorNames(field.value)}
    onChange={field.choose}
    renderPill={({ option: { value, label }, onRemove }) => (
      <Pill withRemoveButton {...(onRemove !== undefined && { onRemove })}>
        <Link to="/vendors/$uniqueId" params={{ uniqueId: String(value) }}>
          {label}
        </Link>
      </Pill>
    )}
  />
);
