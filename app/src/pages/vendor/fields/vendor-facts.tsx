import { Person } from '../../../components/person/person.tsx';
import { Level } from '../../../components/level.tsx';
import { Fact } from '../../../components/record/facts.tsx';
import { StatusDot } from '../../../components/status-dot.tsx';
import { CalendarDate } from '../../../components/time.tsx';
import { criticalityText } from '../../../components/vendor/choices.ts';
import type { Vendor } from '../../../components/vendor/choices.ts';
import { NearDate, contractWords, reviewWords } from '../../../components/vendor/near-date.tsx';
import { monthsText } from '../../../components/record/values.ts';
import { ContactLines } from '../contacts/contact-lines.tsx';
import { WebsiteLink } from './website-link.tsx';

interface VendorFactsProps {
  vendor: Vendor;
  /** True for an earlier state, whose dates are not compared with today. */
  isPast: boolean;
}

/** The fields of a vendor as text, for a person who may not change them. */
export function VendorFacts({ vendor, isPast }: VendorFactsProps) {
  const { status, criticality, owner, nextReview, reviewEveryMonths, website, labels, dataCategories } = vendor;
  const { contractStart, contractEnd, contacts } = vendor;
  return (
    <>
      <Fact name="Status">
        <StatusDot status={status} />
      </Fact>
      <Fact name="Criticality">
        {criticality !== null && <Level level={criticality} label={criticalityText(criticality)} />}
      </Fact>
      <Fact name="Owner">{owner !== null && <Person name={owner.name} />}</Fact>
      <Fact name="Next review">
        {nextReview !== null && <NearDate value={nextReview} near={isPast ? undefined : reviewWords(vendor)} />}
      </Fact>
      <Fact name="Reviewed every">{reviewEveryMonths !== null && monthsText(reviewEveryMonths)}</Fact>
      <Fact name="Website">{website !== null && <WebsiteLink href={website} text={website} />}</Fact>
      <Fact name="Contract start">{contractStart !== null && <CalendarDate value={contractStart} />}</Fact>
      <Fact name="Contract end">
        {contractEnd !== null && <NearDate value={contractEnd} near={isPast ? undefined : contractWords(vendor)} />}
      </Fact>
      <Fact name="Labels">{labels.length > 0 && labels.join(', ')}</Fact>
      <Fact name="Data categories">{dataCategories.length > 0 && dataCategories.join(', ')}</Fact>
      <Fact name="Contacts">{contacts.length > 0 && <ContactLines contacts={contacts} />}</Fact>
    </>
  );
}
