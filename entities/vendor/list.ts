import { matchesEvidence } from '../evidence/expiring.ts';
import type { EvidenceFilter } from '../evidence/expiring.ts';
import { vendorResource } from './vendor.ts';
import type { VendorStatus } from './vendor.ts';
import { metadataJoins } from '../statements/change-metadata.ts';
import { readStatement } from '../statements/define-statement.ts';
import type { Placeholders, Statement } from '../statements/define-statement.ts';
import { columnsWithMetadata } from '../statements/resource.ts';
import type { VendorListItem, VendorRow } from './statements.ts';

/** Filters of a list of vendors; null for no filter. Contract, sections 4 and 19. */
export interface VendorFilters extends EvidenceFilter {
  status: VendorStatus | null;
  /** Part of the name, ignoring case. */
  q: string | null;
  /** Included. */
  updatedSince: string | null;
}

/** The last vendor of the previous page. */
export interface VendorCursor {
  name: string;
  uniqueId: string;
}

/** Position before the first vendor, as no name is empty. */
export const FIRST_VENDOR_PAGE: VendorCursor = { name: '', uniqueId: '00000000-0000-0000-0000-000000000000' };

type VendorPageInput = VendorFilters & VendorCursor & { limit: number | null };
type Condition = (placeholders: Placeholders<VendorFilters>) => string;

interface VendorListStatements {
  count: Statement<VendorFilters, { total: number }>;
  /** Vendors after a position, by name and then by id; all of them if the limit is null. */
  page: Statement<VendorPageInput, VendorListItem>;
  /** The same vendors with all fields. */
  fullPage: Statement<VendorPageInput, VendorRow>;
}

const filterCondition: Condition = ({ company, status, q }) =>
  `v.company_id = ${company} and (${status}::text is null or v.status = ${status})
  and (${q}::text is null or strpos(fold_case(v.name), fold_case(${q})) > 0)`;

/** Only statements of requests with this filter have it, so that PostgreSQL can use its index. */
const filterConditionWithUpdate: Condition = (placeholders) =>
  `${filterCondition(placeholders)} and v.updated_at >= ${placeholders.updatedSince}::timestamptz`;

/** All filters. Only statements of requests with the filter by evidence have it. */
const filterConditionWithEvidence: Condition = (placeholders) => `${filterCondition(placeholders)}
  and (${placeholders.updatedSince}::timestamptz is null or v.updated_at >= ${placeholders.updatedSince})
  and ${matchesEvidence('vendor', 'v', placeholders)}`;

const listStatements = (suffix: string, condition: Condition): VendorListStatements => {
  const pageOf = (columns: string, placeholders: Placeholders<VendorPageInput>) => {
    const { name, uniqueId, limit } = placeholders;
    return `select ${columns} from vendor v
  where ${condition(placeholders)} and (v.name, v.unique_id) > (${name}::varchar, ${uniqueId}::uuid)
  order by v.name, v.unique_id limit ${limit}`;
  };
  return {
    count: readStatement(
      `vendor.count${suffix}`,
      (placeholders) => `select count(*)::int as total from vendor v where ${condition(placeholders)}`,
    ),
    page: readStatement(`vendor.page${suffix}`, (placeholders) =>
      pageOf('v.unique_id as "uniqueId", v.name, v.status', placeholders),
    ),
    fullPage: readStatement(
      `vendor.full-page${suffix}`,
      (placeholders) => `select ${columnsWithMetadata(vendorResource, 'v')}
  from (${pageOf('v.*', placeholders)}) v ${metadataJoins('v')} order by v.name, v.unique_id`,
    ),
  };
};

const statements = listStatements('', filterCondition);
const statementsWithUpdate = listStatements('.updated', filterConditionWithUpdate);

const statementsWithEvidence = listStatements('.evidence', filterConditionWithEvidence);

/** Statements that count and page the matching vendors. */
export function vendorListStatements({ updatedSince, hasEvidence }: VendorFilters): VendorListStatements {
  if (hasEvidence !== null) return statementsWithEvidence;
  return updatedSince === null ? statements : statementsWithUpdate;
}
