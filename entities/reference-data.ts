import { p } from '@mikro-orm/core';
import { NAME_LENGTH } from './company.ts';
import { keptApart, ofCompany } from './tenancy.ts';
import { audited, refuses } from './triggers.ts';

/** What frameworks and departments have in common: a name, and an archive instead of deletion. */
export const referenceData = (table: string) => ({
  tableName: table,
  properties: {
    ...ofCompany,
    id: p.integer().primary().autoincrement(),
    name: p.string().length(NAME_LENGTH),
    archivedAt: p.datetime(3).nullable(),
  },
  ...keptApart(),
  checks: [{ name: `${table}_named`, expression: `name::text <> ''::text` }],
  triggers: keptReference(table),
});

/** Triggers of reference data: audited, archived, never deleted. */
export const keptReference = (table: string) => [
  audited(table, { type: table, id: 'id' }),
  refuses(table, ['delete', 'truncate']),
];
