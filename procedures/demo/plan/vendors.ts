import { dateOf } from '../calendar.ts';
import type { MemberName } from '../content/people.ts';
import { CONTACT_NAMES, CONTACT_ROLES, REVIEW_NOTES, VENDORS, VENDOR_COMMENTS } from '../content/vendors.ts';
import type { DemoVendor } from '../content/vendors.ts';
import { createPdf } from '../files.ts';
import type { Random } from '../calendar.ts';
import { Story } from '../world.ts';
import type { Plan } from './tasks.ts';
import { say } from './work.ts';

/** Days before today on which the first vendors are added, and the number of those that are added in the first weeks. */
const FIRST = { daysAgo: 354, vendors: 42, weeks: 4 } as const;
/** Months between two reviews by criticality; null for vendors that are not reviewed. */
const REVIEW_MONTHS: Readonly<Record<number, number | null>> = { 1: 6, 2: 12, 3: 12, 4: null };
const DAYS_OF_MONTH = 30.5;

/** Days from today to the next review of the vendors whose state is shown: overdue, this month. */
const NEXT_REVIEWS: Readonly<Record<number, number>> = { 3: -19, 12: -6, 22: -2, 5: 4, 9: 11, 16: 18, 27: 26 };
/** Days from today to the end of contracts: ended, this month, in two months. */
const CONTRACT_ENDS: Readonly<Record<number, number>> = { 8: -12, 31: -40, 6: 17, 14: 24, 20: 45, 44: 58 };
/** Vendors that are no longer used. */
const STATUSES: Readonly<Record<number, 'inactive' | 'archived'>> = {
  28: 'archived',
  34: 'inactive',
  37: 'archived',
  57: 'inactive',
};

const hostOf = ({ name }: DemoVendor) => `${name.toLowerCase().replaceAll(' ', '-')}.example`;

const ownerOf = ({ labels }: DemoVendor): MemberName =>
  labels.some((label) => ['infrastructure', 'security', 'development', 'monitoring'].includes(label))
    ? 'jonas'
    : labels.some((label) => ['personnel', 'legal', 'finance', 'marketing'].includes(label))
      ? 'priya'
      : 'mara';

function contactsOf(vendor: DemoVendor, random: Random) {
  const count = vendor.criticality <= 2 ? 2 : 1;
  return Array.from({ length: count }, (_, index) => {
    const name = `${random.pick(CONTACT_NAMES.given)} ${random.pick(CONTACT_NAMES.family)}`;
    const role = index === 0 ? random.pick(CONTACT_ROLES) : null;
    return { name, email: `${name.toLowerCase().replace(' ', '.')}@${hostOf(vendor)}`, role };
  });
}

/** The stories of all vendors. */
export const vendorStories = (plan: Plan): Story[] => VENDORS.map((vendor, index) => vendorStory(vendor, index, plan));

/** The story of a vendor: it is added, reviewed, talked about, and perhaps archived. */
function vendorStory(vendor: DemoVendor, index: number, { calendar, random }: Plan): Story {
  const { name, description, criticality, labels, dataCategories } = vendor;
  const createdAgo =
    index < FIRST.vendors
      ? FIRST.daysAgo - index * ((FIRST.weeks * 7) / FIRST.vendors)
      : 300 - (index - FIRST.vendors) * 15;
  const owner = ownerOf(vendor);
  const everyMonths = REVIEW_MONTHS[criticality] ?? null;
  const contractStart = calendar.date(-Math.round(createdAgo) - random.between(10, 700));
  const contractEnd = calendar.date(CONTRACT_ENDS[index] ?? random.between(90, 900));
  const contacts = contactsOf(vendor, random);
  let uniqueId = '';
  const nextReviewIn = NEXT_REVIEWS[index] ?? random.between(35, Math.max(60, (everyMonths ?? 0) * 28));
  const reviews = everyMonths === null ? [] : reviewDays(createdAgo, everyMonths, nextReviewIn);
  const firstReviewIn = reviews.length > 0 ? -(reviews[0] ?? 0) : nextReviewIn;
  const story = new Story().add(calendar.workTime(createdAgo), owner, async (world, step) => {
    const created = await world.act(step, (caller) =>
      caller.vendor.create({
        name,
        description: `<p>${description}</p>`,
        website: `https://${hostOf(vendor)}`,
        criticality,
        ownerId: world.user(owner),
        labels: [...labels],
        dataCategories: [...dataCategories],
        contractStart,
        contractEnd: criticality === 4 && index % 2 === 0 ? null : contractEnd,
        reviewEveryMonths: everyMonths,
        nextReview: everyMonths === null ? null : calendar.date(firstReviewIn),
        contacts,
      }),
    );
    uniqueId = created.uniqueId;
    world.vendors.push({ uniqueId, labels: criticality === 1 ? [...labels, 'critical'] : labels });
  });
  for (const [position, reviewAgo] of reviews.entries()) {
    const at = calendar.workTime(reviewAgo);
    const note = random.pick(REVIEW_NOTES);
    const outcome = (index + position) % 5 === 2 ? 'conditional' : 'approved';
    const risk = Math.min(4, criticality + (outcome === 'approved' ? 1 : 0));
    const isLast = position === reviews.length - 1;
    if (criticality <= 2) attachCertificate(at, reviewAgo);
    story.add(at, owner, (world, step) =>
      world.act(step, (caller) =>
        caller.vendor.review({
          vendor: uniqueId,
          note,
          outcome,
          risk,
          ...(isLast && { nextReview: calendar.date(nextReviewIn) }),
        }),
      ),
    );
  }
  if (random.chance(0.5)) {
    const at = calendar.workTime(random.between(2, Math.round(createdAgo) - 3));
    say(
      story,
      { at, by: random.pick(['mara', 'jonas', 'priya']) },
      () => ({ vendor: uniqueId }),
      random.pick(VENDOR_COMMENTS),
    );
  }
  const status = STATUSES[index];
  if (status !== undefined)
    story.add(calendar.workTime(random.between(5, 60)), 'mara', (world, step) =>
      world.act(step, (caller) => caller.vendor.update({ vendor: uniqueId, status })),
    );
  return story;

  function attachCertificate(at: Date, daysAgo: number): void {
    const validUntil = calendar.date(random.between(-5, 340) + (daysAgo > 200 ? -100 : 0));
    const bytes = createPdf(`Certificate of ${name}`, [
      `Issued: ${dateOf(at)}`,
      `Valid until: ${validUntil}`,
      description,
    ]);
    const file = { name: `Certificate ${dateOf(at)}.pdf`, mediaType: 'application/pdf', bytes };
    const isValid = validUntil >= dateOf(at);
    story.add(at, owner, (world, step) =>
      world.attach(step, { vendor: uniqueId }, isValid ? { ...file, validUntil } : file),
    );
  }
}

/** Days before today on which a vendor was reviewed, the first ones first. The last review is one period before the next one. */
function reviewDays(createdAgo: number, everyMonths: number, nextReviewIn: number): number[] {
  const period = everyMonths * DAYS_OF_MONTH;
  const days: number[] = [];
  for (let ago = period - nextReviewIn; ago < createdAgo - 3; ago += period) if (ago >= 1) days.push(Math.round(ago));
  return days.toReversed();
}
