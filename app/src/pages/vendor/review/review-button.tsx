import { Button, Tooltip } from '@mantine/core';
import { useRef, useState } from 'react';
import type { Vendor } from '../../../components/vendor/choices.ts';
import type { Review } from './review-dialog.tsx';
import { ReviewDialog } from './review-dialog.tsx';

interface ReviewButtonProps {
  vendor: Vendor;
  onReview: (review: Review) => Promise<unknown>;
}

/** Opens the dialog of a review. An archived vendor is not reviewed. */
export function ReviewButton({ vendor, onReview }: ReviewButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (vendor.status === 'archived')
    return (
      <Tooltip label="An archived vendor is not reviewed. Make it active first.">
        <Button data-disabled aria-disabled onClick={(event) => event.preventDefault()}>
          Review
        </Button>
      </Tooltip>
    );
  return (
    <>
      <Button ref={button} onClick={() => setIsOpen(true)}>
        Review
      </Button>
      {isOpen && (
        <ReviewDialog
          vendor={vendor}
          onReview={onReview}
          onClose={() => {
            setIsOpen(false);
            button.current?.focus();
          }}
        />
      )}
    </>
  );
}
