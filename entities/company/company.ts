import { defineEntity, p } from '@mikro-orm/core';
import { auditedResource } from '../schema/audited-resource.ts';
import { rowLevelSecurityFor, crossCompanyOnly } from '../schema/row-level-security.ts';
import { auditTrigger, defineTrigger, forbidTrigger } from '../schema/triggers.ts';

/** Longest name or title in characters, after trimming. */
export const MAX_NAME_LENGTH = 255;
/** Longest name of a time zone in characters. */
export const MAX_TIME_ZONE_LENGTH = 64;
/** Longest URL of another cell in characters. */
export const MAX_URL_LENGTH = 2048;

/** Reaction to a key found in public: disable it at once, or only record the report. Contract, section 5. */
export const LEAKED_KEY_POLICIES = ['disable', 'report'] as const;
export type LeakedKeyPolicy = (typeof LEAKED_KEY_POLICIES)[number];

const properties = {
  id: p.integer().primary().autoincrement(),
  name: p.string().length(MAX_NAME_LENGTH),
  /** IANA name. The dates of tasks begin and end there. */
  timeZone: p.string().length(MAX_TIME_ZONE_LENGTH).default('UTC'),
  leakedKeys: p.enum(LEAKED_KEY_POLICIES).default('disable'),
  /** True: closed tasks, their comments and their evidence do not change. */
  lockClosed: p.boolean().default(false),
  createdAt: p.datetime(3).defaultRaw('now()'),
  /** Set while the company is closed: its keys and members are rejected, and nothing of it is sent or run. */
  closedAt: p.datetime(3).nullable(),
  /** Set by the first step of an erase. From then on the company can only be erased. */
  erasingAt: p.datetime(3).nullable(),
  /** Set while the company is read-only, because it is being moved to another cell or was moved there. */
  frozenAt: p.datetime(3).nullable(),
  /** URL of the cell that has the company since a move; null while it is in this one. */
  movedTo: p.string().length(MAX_URL_LENGTH).nullable(),
  /** Set while rows of a move arrive. The company is not served before the move has ended. */
  arrivingAt: p.datetime(3).nullable(),
  /** True for a company with invented data, whose times may be in the past (`set_demo_time`). Only its creation sets it. */
  isDemo: p.boolean().default(false),
};

const companyResource = auditedResource('company', properties, {
  name: 'name',
  unaudited: ['erasingAt', 'movedTo', 'arrivingAt'],
});

const companySchema = defineEntity({
  name: 'Company',
  properties,
  ...rowLevelSecurityFor('id', ['select']),
  checks: [
    { name: 'company_name_not_empty', expression: `name::text <> ''::text` },
    {
      name: 'company_erasing_is_closed',
      expression: 'erasing_at IS NULL OR closed_at IS NOT NULL OR moved_to IS NOT NULL',
    },
    {
      name: 'company_moving_is_frozen',
      expression: 'moved_to IS NULL AND arriving_at IS NULL OR frozen_at IS NOT NULL',
    },
  ],
  triggers: [
    // Only an erase deletes a company. It leaves an ErasedCompany in place of an event.
    auditTrigger(companyResource, {}, { hasDelete: false }),
    forbidTrigger('company', ['update of is_demo, arriving_at', 'delete', 'truncate']),
    defineTrigger('company_notify', 'after', ['update'], 'company', 'row', 'notify_company_closed()', {
      when: 'old.closed_at is distinct from new.closed_at or old.frozen_at is distinct from new.frozen_at or old.moved_to is distinct from new.moved_to',
    }),
  ],
});

/** The tenant. Every other row belongs to exactly one company. */
export class Company extends companySchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = companyResource;
}
companySchema.setClass(Company);

const erasedCompanySchema = defineEntity({
  name: 'ErasedCompany',
  properties: {
    /** Id of the company, which no other one gets. Without a foreign key: the company is gone. */
    id: p.integer().primary().autoincrement(false),
    erasedAt: p.datetime(3).defaultRaw('now()'),
    /** Position of the last event in the chain of the company. */
    sequence: p.bigint(),
    /** Hash of that event in the chain, in hexadecimal digits. */
    hash: p.string().length(64),
  },
  ...crossCompanyOnly,
  checks: [
    { name: 'erased_company_sequence', expression: 'sequence > 0' },
    { name: 'erased_company_hash', expression: `hash::text ~ '^[0-9a-f]{64}$'::text` },
  ],
  triggers: [forbidTrigger('erased_company', ['update', 'delete', 'truncate'])],
});

/** The end of a company: the head of its audit log when it was erased. An exported log can be compared with it. */
export class ErasedCompany extends erasedCompanySchema.class {
  /** None: the owner of the tables writes it in the transaction that deletes the company. */
  static readonly writePrivileges = [] as const;
}
erasedCompanySchema.setClass(ErasedCompany);
