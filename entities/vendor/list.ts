import { metadataJoins } from '../statements/change-metadata.ts';
import { pipelinedRead, readStatement } from '../statements/define-statement.ts';
import type { Placeholders, Statement } from '../statements/define-statement.ts';
import { byKey, orderBy, pageOf, positionAfter } from '../statements/order.ts';
import type { Order, Position } from '../statements/order.ts';
import { columnsWithMetadata } from '../statements/columns.ts';
import { matchesEvidence } from '../evidence/expiring.ts';
import type { EvidenceFilter } from '../evidence/expiring.ts';
import { hasLabel } from '../fields/labels.ts';
import { foldedParameter, foldedSql } from '../fold-case.ts';
import { vendorResource } from './vendor.ts';
import type { VendorStatus } from './vendor.ts';
import type { VendorListItem, VendorRow } from './statements.ts';

/** Filters of a list of vendors; null for no filter. Contract, sections 4, 19 and 21. */
export interface VendorFilters extends EvidenceFilter {
  status: VendorStatus | null;
  /** Part of the name, ignoring case. */
  q: string | null;
  /** Included. */
  updatedSince: string | null;
  /** One of the values. */
  criticality: readonly number[] | null;
  /** One of these owners. */
  owner: readonly string[] | null;
  /** True for vendors without an owner, beside those of `owner`. */
  unowned: true | null;
  /** One of the labels, ignoring case. */
  label: string | null;
  /** First and last day of the next review, included. */
  reviewAfter: string | null;
  reviewBefore: string | null;
  /** True for vendors without a next review. */
  noReview: true | null;
  /** First and last day of the end of the contract, included. */
  contractAfter: string | null;
  contractBefore: string | null;
  /** True without archived vendors. */
  notArchived: true | null;
}

type Condition = (placeholders: Placeholders<VendorFilters>) => string;

const plain: Condition = ({ company, status, q }) =>
  `t.company_id = ${company} and (${status}::text is null or t.status = ${status})
  and (${q}::text is null or strpos(${foldedSql('t.name')}, ${foldedParameter(q)}) > 0)`;

/** Only statements of requests with this filter have it, so that PostgreSQL can use its index. */
const updated: Condition = (placeholders) =>
  `${plain(placeholders)} and t.updated_at >= ${placeholders.updatedSince}::timestamptz`;

/** Dates of a review. Only statements of requests with this filter have it, so that PostgreSQL can use its index. */
const review: Condition = (placeholders) => {
  const { reviewAfter, reviewBefore } = placeholders;
  return `t.next_review >= coalesce(${reviewAfter}::date, '-infinity') and t.next_review <= ${reviewBefore}::date and ${any(placeholders)}`;
};

/** The same for the end of the contract. */
const contract: Condition = (placeholders) => {
  const { contractAfter, contractBefore } = placeholders;
  return `t.contract_end >= coalesce(${contractAfter}::date, '-infinity') and t.contract_end <= ${contractBefore}::date and ${any(placeholders)}`;
};

/** All filters. */
const any: Condition = (placeholders) => {
  const { updatedSince, criticality, owner, unowned, label, hasEvidence } = placeholders;
  const { noReview, notArchived, contractAfter, contractBefore } = placeholders;
  return `${plain(placeholders)}
  and (${updatedSince}::timestamptz is null or t.updated_at >= ${updatedSince})
  and (${criticality}::int[] is null or t.criticality = any(${criticality}))
  and (${owner}::uuid[] is null or t.owner_id = any(${owner}) or ${unowned}::boolean and t.owner_id is null)
  and (${label}::text is null or ${hasLabel('t.labels', label)})
  and (${noReview}::boolean is null or t.next_review is null)
  and (${notArchived}::boolean is null or t.status <> 'archived')
  and (${contractBefore}::date is null
    or t.contract_end >= coalesce(${contractAfter}::date, '-infinity') and t.contract_end <= ${contractBefore})
  and (${hasEvidence}::boolean is null or ${matchesEvidence('vendor', 't', placeholders)})`;
};

/** Conditions of the statements, by name. A connection keeps each prepared statement, so there are few. */
const CONDITIONS = { plain, updated, any, review, contract } satisfies Record<string, Condition>;

type Filtering = keyof typeof CONDITIONS;
const FILTERINGS = ['plain', 'updated', 'any', 'review', 'contract'] as const satisfies Filtering[];

/** Condition on a vendor `t` of the company. */
const filterCondition = (filtering: Filtering): Condition => CONDITIONS[filtering];

/** The kind of statement for filters. */
function filteringOf({
  status: _status,
  q: _q,
  updatedSince,
  reviewBefore,
  contractBefore,
  expiresBefore: _expiresBefore,
  ...others
}: VendorFilters): Filtering {
  if (reviewBefore !== null) return 'review';
  if (contractBefore !== null) return 'contract';
  if (Object.values(others).some((filter) => filter !== null)) return 'any';
  return updatedSince === null ? 'plain' : 'updated';
}

/** Orders of a list of vendors. `-` means descending. Contract, section 21. */
export const VENDOR_SORTS = ['name', '-createdAt', '-updatedAt', 'criticality', 'nextReview'] as const;
export type VendorSort = (typeof VENDOR_SORTS)[number];

/** No name is empty. Ids ascend in the order of creation. */
const ORDERS: Record<VendorSort, Order> = {
  name: { direction: 'asc', by: { column: 'name', type: 'varchar', start: '' } },
  '-createdAt': { direction: 'desc' },
  '-updatedAt': { direction: 'desc', by: { column: 'updated_at', type: 'timestamptz', start: 'infinity' } },
  criticality: { direction: 'asc', by: { column: 'criticality', type: 'int', start: '0' }, end: '5' },
  nextReview: { direction: 'asc', by: { column: 'next_review', type: 'date', start: '-infinity' }, end: 'infinity' },
};

/**
 * Position after a vendor, or before the first vendor.
 * @param last `vendorPosition` of the vendor; empty for the first page
 */
export const positionAfterVendor = (sort: VendorSort, last: readonly string[]): Position =>
  positionAfter(ORDERS[sort], last.at(-1), last.length > 1 ? last[0] : undefined);

/** A vendor in a list, with its value in the first column of the order, as text; null in the order of creation. */
export interface SortedVendor {
  uniqueId: string;
  sortValue: string | null;
}

/** Position of a vendor in a list: its value in the first column of the order if it has one, and its id. */
export const vendorPosition = ({ uniqueId, sortValue }: SortedVendor): string[] =>
  sortValue === null ? [uniqueId] : [sortValue, uniqueId];

type VendorPageInput = VendorFilters & Position & { limit: number | null };

interface VendorListStatements {
  count: Statement<VendorFilters, { total: number }>;
  /** Vendors after a position; all of them if the limit is null. */
  page: Statement<VendorPageInput, VendorListItem & SortedVendor>;
  /** The same vendors with all fields. */
  fullPage: Statement<VendorPageInput, VendorRow & SortedVendor>;
}

const countStatement = (filtering: Filtering): VendorListStatements['count'] =>
  readStatement(
    `vendor.count.${filtering}`,
    (placeholders) => `select count(*)::int as total from vendor t where ${filterCondition(filtering)(placeholders)}`,
  );

const pageStatements = (filtering: Filtering, sort: VendorSort): Omit<VendorListStatements, 'count'> => {
  const order = ORDERS[sort];
  const sortColumns = order.by === undefined ? [] : [order.by.column];
  const sortValue = order.by === undefined ? 'null' : `t.${order.by.column}::text`;
  /** SQL of the vendors of a page with some columns. */
  const found = (placeholders: Placeholders<VendorPageInput>, columns: readonly string[]) => {
    const conditions = `${filterCondition(filtering)(placeholders)} and`;
    return `(${pageOf(order, 'vendor t', conditions, placeholders, columns)})`;
  };
  return {
    page: readStatement(
      `vendor.page.${filtering}.${sort}`,
      (placeholders) => `select t.unique_id as "uniqueId", t.name, t.status, ${sortValue} as "sortValue"
  from ${found(placeholders, [...new Set(['unique_id', 'name', 'status', ...sortColumns])])} t
  order by ${orderBy(order, 't')} limit (select ${placeholders.limit}::int)`,
    ),
    fullPage: readStatement(
      `vendor.full-page.${filtering}.${sort}`,
      (placeholders) => `select ${columnsWithMetadata(vendorResource, 't')}, ${sortValue} as "sortValue"
  from (select * from ${found(placeholders, ['*'])} t order by ${orderBy(order, 't')} limit (select ${placeholders.limit}::int)) t
  ${metadataJoins('t')} order by ${orderBy(order, 't')}`,
    ),
  };
};

const counts = byKey(FILTERINGS, countStatement);
const pages = byKey(FILTERINGS, (filtering) => byKey(VENDOR_SORTS, (sort) => pageStatements(filtering, sort)));

/** Statements that count and page the matching vendors. */
export function vendorListStatements(filters: VendorFilters, sort: VendorSort): VendorListStatements {
  const filtering = filteringOf(filters);
  return { count: counts[filtering], ...pages[filtering][sort] };
}

/** Vendors by name as one JSON text, with their number. PostgreSQL writes the text, which takes a fifth of the time of rows. */
export const listVendorsAsJson = pipelinedRead<{ limit: number }, { json: string; total: number }>(
  'vendor.list-as-json',
  ({ company, limit }) =>
    `select '[' || coalesce(string_agg('{"uniqueId":"' || unique_id || '","name":' || to_json(name) || ',"status":"' || status || '"}', ','), '')
    || ']' as json, count(*)::int as total
  from (select unique_id, name, status from vendor where company_id = ${company} order by name, unique_id limit ${limit}::int) v`,
);
