import { Button, Input, Skeleton } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { Field } from '../../../components/record/edits/use-record.ts';
import { FieldFrame } from '../../../components/record/fields/field-frame.tsx';
import { lazyPart } from '../../../components/upgrade/lazy-part.tsx';

const VendorsField = lazyPart(async () => (await import('./vendors-field.tsx')).VendorsField);
const VendorLinks = lazyPart(async () => (await import('../../../components/vendor/vendor-links.tsx')).VendorLinks);

/** The vendors of a task. The code of the field loads for a task that has some, or when a person adds one. */
export function VendorsPart({ field }: { field: Field<string[]> }) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <FieldFrame field={field}>
      {isAdding || field.value.length > 0 ? (
        <Suspense fallback={<Skeleton h={56} />}>
          <VendorsField field={field} autoFocus={isAdding} />
        </Suspense>
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

/** The vendors of a task as text. */
export const VendorLinksPart = ({ uniqueIds }: { uniqueIds: readonly string[] }) => (
  <Suspense fallback={<Skeleton h={18} />}>
    <VendorLinks uniqueIds={uniqueIds} />
  </Suspense>
);
