import { matchesEvidence } from '../evidence/expiring.ts';
import { hasLabel } from '../fields/labels.ts';
import { foldedParameter, foldedSql } from '../fold-case.ts';
import type { EvidenceFilter } from '../evidence/expiring.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import type { VendorStatus } from './vendor.ts';

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

export type Filtering = keyof typeof CONDITIONS;
export const FILTERINGS = ['plain', 'updated', 'any', 'review', 'contract'] as const satisfies Filtering[];

/** Condition on a vendor `t` of the company. */
export const filterCondition = (filtering: Filtering): Condition => CONDITIONS[filtering];

/** The kind of statement for filters. */
export function filteringOf({
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
