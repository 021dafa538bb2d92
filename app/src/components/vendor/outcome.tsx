import { StatusDot } from '../status-dot.tsx';
import { criticalityText } from './choices.ts';
import type { Vendor } from './choices.ts';

interface OutcomeProps {
  review: Pick<NonNullable<Vendor['lastReview']>, 'outcome' | 'risk'>;
}

/** What a review found: "Approved, low risk". Nothing for a review that says neither. */
export function Outcome({ review: { outcome = null, risk = null } }: OutcomeProps) {
  const ofRisk = risk === null ? '' : `${criticalityText(risk)} risk`;
  if (outcome === null) return ofRisk;
  return (
    <>
      <StatusDot status={outcome} />
      {ofRisk !== '' && `, ${ofRisk.toLowerCase()}`}
    </>
  );
}
