import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { Member } from '../member/member.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { frozenTrigger } from '../schema/triggers.ts';

/** Pages of the application that have views. */
export const VIEW_PAGES = ['tasks', 'vendors', 'audit'] as const;
export type ViewPage = (typeof VIEW_PAGES)[number];

/** Bounds of the views of a member. Contract, section 18. */
export const VIEW_LIMITS = { perMember: 200, maxQueryLength: 2000 } as const;

const viewSchema = defineEntity({
  name: 'View',
  properties: {
    ...companyKeyWithoutForeignKey,
    uniqueId: p.uuid().primary(),
    /** The owner. Its views stay when the membership ends. */
    member: () => companyReference(Member, 'member_id').deleteRule('no action'),
    name: p.string().length(MAX_NAME_LENGTH),
    page: p.enum(VIEW_PAGES),
    /** Query string of the page. */
    query: p.string().length(VIEW_LIMITS.maxQueryLength),
    /** True if every member of the company sees the view. */
    shared: p.boolean().default(false),
  },
  ...tenantIsolation(),
  indexes: [{ name: 'view_by_member', properties: ['company', 'member'] }],
  checks: [{ name: 'view_name_not_empty', expression: `name::text <> ''::text` }],
  triggers: [frozenTrigger('view')],
});

/** Filters, order and columns of a page of the application, under a name. No event records it. */
export class View extends viewSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
viewSchema.setClass(View);
