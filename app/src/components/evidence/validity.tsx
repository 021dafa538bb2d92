import { dateText, daysUntil, relativeDate } from '../../dates.ts';

/** Evidence is expiring when it is valid for less than these days. */
const EXPIRING_DAYS = 30;

/** Words for evidence that is expiring: "Expires in 12 days", "Expired yesterday". */
function expiryWords(validUntil: string): string | undefined {
  const days = daysUntil(validUntil);
  if (days >= EXPIRING_DAYS) return undefined;
  return `${days < 0 ? 'Expired' : 'Expires'} ${relativeDate(validUntil)}`;
}

/** The last day on which evidence is valid, with words if that is soon or past. */
export function Validity({ validUntil }: { validUntil: string }) {
  const words = expiryWords(validUntil);
  return (
    <span className="evidence-validity" data-expiring={words !== undefined || undefined}>
      {words !== undefined && <b>{words}</b>} <time dateTime={validUntil}>Valid until {dateText(validUntil)}</time>
    </span>
  );
}
