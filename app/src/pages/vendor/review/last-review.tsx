import { Fact } from '../../../components/record/facts.tsx';
import { Time } from '../../../components/time.tsx';
import type { Vendor } from '../../../components/vendor/choices.ts';
import './review.css';

/** When a vendor was last reviewed, by whom, and what they noted. */
export const LastReview = ({ review }: { review: Vendor['lastReview'] }) => (
  <Fact name="Last review">
    {review !== null && (
      <>
        {review.by.name}, <Time value={review.at} withRelative />
        {review.note !== '' && <p className="review-note">{review.note}</p>}
      </>
    )}
  </Fact>
);
