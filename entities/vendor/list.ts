import { lastSeal, sealOf } from '../audit/seal-reading.ts';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { evidenceFilters, matchesEvidence } from '../evidence/expiring.ts';
import { anyInteger, anyMember, anyOf, columnsOf, compare, contains, defineFilters, flag } from '../fields/filters.ts';
import { hasLabel } from '../fields/labels.ts';
import { enumInput, forModels, updatedSinceInput, valueList } from '../fields/schemas.ts';
import { calendarDate } from '../fields/values.ts';
import { byName } from '../statements/by-name.ts';
import type { NamedId, Names } from '../statements/by-name.ts';
import { metadataJoins } from '../statements/change-metadata.ts';
import { columnsWithMetadata } from '../statements/columns.ts';
import { pipelinedRead, readStatement, anyCompany } from '../statements/define-statement.ts';
import type { Placeholders, Statement } from '../statements/define-statement.ts';
import { SAMPLE_ORDER, positionWithSeed, withSample } from '../statements/sample.ts';
import type { Sample } from '../statements/sample.ts';
import { byKey, keysOf, orderBy, ordersOf, pageOf, positionOf } from '../statements/order.ts';
import type { Position } from '../statements/order.ts';
import type { VendorListItem, VendorRow } from './statements.ts';
import { CRITICALITY, REVIEW_OUTCOMES, vendorResource } from './vendor.ts';

/** Last day of the filter `month`, in days after today. Contract, section 21. */
export const MONTH_DAYS = 30;
const MONTH = `\`month\`: from today to ${MONTH_DAYS} days later`;
const TODAY = 'Today is that of the time zone of the company. Archived vendors are left out.';

const columns = columnsOf(vendorResource.properties);

/** Filters by a date, which code translates. Both bounds are included. */
const range = <Field extends 'nextReview' | 'contractEnd'>(field: Field) => {
  const bound = (word: string) => ({
    schema: calendarDate
      .meta({ description: `${word} ${field}, included` })
      .register(forModels, { description: undefined }),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed name has no type of its own
  return { [`${field}After`]: bound('First'), [`${field}Before`]: bound('Last') } as Record<
    `${Field}After` | `${Field}Before`,
    ReturnType<typeof bound>
  >;
};

/** Filters of a list of vendors. Bounds are included. Contract, sections 4, 19 and 21. */
export const vendorFilters = defineFilters({
  status: compare(
    columns.status,
    '=',
    'text',
    vendorResource.schemas.status.input.optional().meta({ description: 'Status of the vendor' }),
  ),
  q: contains(columns.name, MAX_NAME_LENGTH, 'Part of the name, ignoring case', 'cloud'),
  criticality: anyInteger(columns.criticality, 'int[]', CRITICALITY, 'Criticalities of the vendors'),
  ...anyMember('owner', 'unowned', columns.owner, 'Owners of the vendors'),
  label: hasLabel(columns.labels),
  review: {
    schema: enumInput(['overdue', 'month', 'none'])
      .meta({
        description: `\`overdue\`: nextReview before today; ${MONTH}; \`none\`: no nextReview. ${TODAY}`,
        examples: ['month'],
      })
      .register(forModels, { description: MONTH }),
  },
  ...range('nextReview'),
  /** Bounds of all filters by this date. */
  reviewAfter: { type: 'date' },
  reviewBefore: { type: 'date' },
  noReview: flag(`${columns.nextReview} is null`),
  contract: {
    schema: enumInput(['ended', 'month'])
      .meta({ description: `\`ended\`: contractEnd before today; ${MONTH}. ${TODAY}`, examples: ['month'] })
      .register(forModels, { description: MONTH }),
  },
  ...range('contractEnd'),
  contractAfter: { type: 'date' },
  contractBefore: { type: 'date' },
  outcome: anyOf(
    `${columns.lastReview}->>'outcome'`,
    'text[]',
    valueList(REVIEW_OUTCOMES)
      .meta({ description: 'Outcomes of the last reviews, separated by commas', examples: [['conditional']] })
      .register(forModels, { description: 'Comma-separated', pattern: undefined }),
    (list) => REVIEW_OUTCOMES.filter((one) => list.split(',').includes(one)),
  ),
  risk: anyInteger(`(${columns.lastReview}->>'risk')::int`, 'int[]', CRITICALITY, 'Risks that the last reviews found'),
  notArchived: flag(`${columns.status} <> 'archived'`),
  updatedSince: compare(columns.updatedAt, '>=', 'timestamptz', updatedSinceInput),
  ...evidenceFilters,
});
const { where } = vendorFilters;

/** Parameters of the filters; null for no filter. */
export type VendorFilters = ReturnType<typeof vendorFilters.parameters>;

type Condition = (placeholders: Placeholders<VendorFilters>) => string;

const plain: Condition = (placeholders) =>
  `t.company_id = ${anyCompany(placeholders.company)} and ${where(placeholders, 'status', 'q')}`;

/** Only statements of requests with this filter have it, so that PostgreSQL can use its index. */
const updated: Condition = (placeholders) =>
  `${plain(placeholders)} and ${columns.updatedAt} >= ${placeholders.updatedSince}::timestamptz`;

const isWithin = (column: string, first: string, last: string) =>
  `${column} >= coalesce(${first}::date, '-infinity') and ${column} <= coalesce(${last}::date, 'infinity')`;

/** Dates of a review. Only statements of requests with this filter have it, so that PostgreSQL can use its index. */
const review: Condition = (placeholders) =>
  `${isWithin(columns.nextReview, placeholders.reviewAfter, placeholders.reviewBefore)} and ${any(placeholders)}`;

/** The same for the end of the contract. */
const contract: Condition = (placeholders) =>
  `${isWithin(columns.contractEnd, placeholders.contractAfter, placeholders.contractBefore)} and ${any(placeholders)}`;

/** All filters. */
const any: Condition = (placeholders) => {
  const { hasEvidence, contractAfter, contractBefore } = placeholders;
  return `${plain(placeholders)}
  and ${where(placeholders, 'updatedSince', 'criticality', 'owner', 'label', 'noReview', 'notArchived', 'outcome', 'risk')}
  and (coalesce(${contractAfter}::date, ${contractBefore}::date) is null or ${isWithin(columns.contractEnd, contractAfter, contractBefore)})
  and (${hasEvidence}::boolean is null or ${matchesEvidence('vendor', 't', placeholders)})`;
};

/** Conditions of the statements, by name. A connection keeps each prepared statement, so there are few. */
const CONDITIONS = { plain, updated, any, review, contract } satisfies Record<string, Condition>;

type Filtering = keyof typeof CONDITIONS;

/** The kind of statement for filters. */
function filteringOf({
  status: _status,
  q: _q,
  updatedSince,
  reviewAfter,
  reviewBefore,
  contractAfter,
  contractBefore,
  expiresBefore: _expiresBefore,
  ...others
}: VendorFilters): Filtering {
  if (reviewAfter !== null || reviewBefore !== null) return 'review';
  if (contractAfter !== null || contractBefore !== null) return 'contract';
  if (Object.values(others).some((filter) => filter !== null)) return 'any';
  return updatedSince === null ? 'plain' : 'updated';
}

/** Orders of a list of vendors. `-` means descending. Contract, section 21. */
export const VENDOR_FIELD_SORTS = [
  'name',
  '-createdAt',
  '-updatedAt',
  'criticality',
  'nextReview',
  'contractEnd',
] as const;
export const VENDOR_SORTS = [...VENDOR_FIELD_SORTS, 'sample'] as const;
export type VendorSort = (typeof VENDOR_SORTS)[number];

const ORDERS = { ...ordersOf(vendorResource.properties, VENDOR_FIELD_SORTS), sample: SAMPLE_ORDER };

/** Position after a vendor, or before the first vendor. Cursors have the id of a vendor last. */
export const positionAfterVendor = (sort: VendorSort, last: readonly string[], seed: string | null = null) =>
  positionWithSeed(ORDERS[sort], last.toReversed(), seed);

/** Position of a vendor in a list. */
export const vendorPosition = (sort: VendorSort, vendor: { uniqueId: string }): string[] =>
  positionOf(ORDERS[sort], vendor).toReversed();

export type VendorPageInput = VendorFilters & Position & Sample & { limit: number | null };

interface VendorListStatements {
  count: Statement<VendorFilters, { total: number }>;
  /** Vendors after a position; all of them if the limit is null. They have the field of the order too. */
  page: Statement<VendorPageInput, VendorListItem>;
  /** The same vendors with all fields. */
  fullPage: Statement<VendorPageInput, VendorRow>;
}

const countStatement = (filtering: Filtering): VendorListStatements['count'] =>
  readStatement(
    `vendor.count.${filtering}`,
    (placeholders) => `select count(*)::int as total from vendor t where ${CONDITIONS[filtering](placeholders)}`,
  );

/**
 * Number of all vendors: that of the last seal, which sealing keeps (`seal_audit_log`), and the events that have no seal yet. It counts
 * until the company has been sealed by a version that keeps it.
 */
const countAllVendors: VendorListStatements['count'] = readStatement(
  'vendor.count.all',
  ({ company }) => `select case when h.vendors_seq = ${lastSeal(company)} then h.vendors + (
      select coalesce(sum(case e.action when 'vendor.create' then 1 when 'vendor.delete' then -1 end), 0)::int
      from audit_event e left join lateral ${sealOf('e')} s on true
      where e.company_id = ${company} and e.id > h.watermark and s.seq is null)
    else (select count(*)::int from vendor t where t.company_id = ${company}) end as total
  from (select) one left join audit_watermark h on h.company_id = ${company}`,
);

const pageStatements = (filtering: Filtering, sort: VendorSort): Omit<VendorListStatements, 'count'> => {
  const order = ORDERS[sort];
  const listed = Object.entries({
    uniqueId: 'unique_id',
    name: 'name',
    status: 'status',
    ...(order.by && { [order.by.field]: order.by.column }),
  });
  /** SQL of the vendors of a page with some columns. */
  const found = (placeholders: Placeholders<VendorPageInput>, selected: readonly string[]) => {
    const conditions = `${CONDITIONS[filtering](placeholders)} and`;
    const from = sort === 'sample' ? withSample('vendor t', placeholders) : 'vendor t';
    return `(${pageOf(order, from, conditions, placeholders, selected)})`;
  };
  /** SQL of the whole vendors of a page. Those of a sample are read last, as it sorts all vendors. */
  const wholeVendors = (placeholders: Placeholders<VendorPageInput>) => {
    const limited = (selected: readonly string[]) =>
      `(select * from ${found(placeholders, selected)} t order by ${orderBy(order, 't')} limit (select ${placeholders.limit}::int))`;
    return sort === 'sample'
      ? `(select t.*, found.sample from ${limited(['unique_id', 'sample'])} found
    join vendor t on t.company_id = ${anyCompany(placeholders.company)} and t.unique_id = found.unique_id)`
      : limited(['*']);
  };
  return {
    page: readStatement(
      `vendor.page.${filtering}.${sort}`,
      (placeholders) => `select ${listed.map(([field, column]) => `t.${column} as "${field}"`).join(', ')}
  from ${found(
    placeholders,
    listed.map(([, column]) => column),
  )} t
  order by ${orderBy(order, 't')} limit (select ${placeholders.limit}::int)`,
    ),
    fullPage: readStatement(
      `vendor.full-page.${filtering}.${sort}`,
      (placeholders) => `select ${columnsWithMetadata(vendorResource, 't')}
  from ${wholeVendors(placeholders)} t
  ${metadataJoins('t')} order by ${orderBy(order, 't')}`,
    ),
  };
};

const counts = byKey(keysOf(CONDITIONS), countStatement);
const pages = byKey(keysOf(CONDITIONS), (filtering) => byKey(VENDOR_SORTS, (sort) => pageStatements(filtering, sort)));

/** Statements that count and page the matching vendors. */
export function vendorListStatements(filters: VendorFilters, sort: VendorSort): VendorListStatements {
  const filtering = filteringOf(filters);
  const isUnfiltered = Object.values(filters).every((filter) => filter === null);
  return { count: isUnfiltered ? countAllVendors : counts[filtering], ...pages[filtering][sort] };
}

/** Vendors by name as one JSON text, with their number. PostgreSQL writes the text, which takes a fifth of the time of rows. */
export const listVendorsAsJson = pipelinedRead<{ limit: number }, { json: string; total: number }>(
  'vendor.list-as-json',
  ({ company, limit }) =>
    `select '[' || coalesce(string_agg('{"uniqueId":"' || unique_id || '","name":' || to_json(name) || ',"status":"' || status || '"}', ','), '')
    || ']' as json, count(*)::int as total
  from (select unique_id, name, status from vendor where company_id = ${company} order by name, unique_id limit ${limit}::int) v`,
);

/** Vendors with these names, archived ones too. */
export const findVendorsByName = readStatement<Names, NamedId>('vendor.by-name', ({ company, names }) =>
  byName(names, 't.unique_id', 't.name', `vendor t where t.company_id = ${company}`),
);
