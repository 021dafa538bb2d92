import { Button, Input } from '@mantine/core';
import { useState } from 'react';
import type { Field } from '../../../components/record/edits/use-record.ts';
import { FieldFrame } from '../../../components/record/fields/field-frame.tsx';
import { VendorsField } from './vendors-field.tsx';

/** The vendors of a task, with a button in place of the field while there are none. */
export function VendorsPart({ field }: { field: Field<string[]> }) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <FieldFrame field={field}>
      {isAdding || field.value.length > 0 ? (
        <VendorsField field={field} autoFocus={isAdding} />
      ) : (
        <>
          <Input.Label labelElement="div">Vendors</Input.Label>
          <Button variant="default" size="compact-sm" display="block" onClick={() => setIsAdding(true)}>
            Add vendors
          </Button>
        </>
      )}
    </FieldFrame>
  );
}
