import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from './company.ts';
import { tenantIsolation, companyKey } from './schema/tenancy.ts';
import { forbidTrigger, defineTrigger } from './schema/triggers.ts';
import type { WritePrivileges } from './schema/row-level-security.ts';

export const USER_KINDS = ['human', 'integration'] as const;
export type UserKind = (typeof USER_KINDS)[number];

/** The operator's user has this id in every company, so its deeds are found across companies. */
export const OPERATOR: Actor = { uniqueId: '00000000-0000-7000-8000-000000000001', name: 'Operator', kind: 'human' };

/** Who did it, as the contract shows it. */
export interface Actor {
  uniqueId: string;
  name: string;
  kind: UserKind;
}

const userSchema = defineEntity({
  name: 'User',
  tableName: 'company_user',
  properties: {
    ...companyKey,
    uniqueId: p.uuid().primary(),
    kind: p.enum(USER_KINDS),
    name: p.string().length(MAX_NAME_LENGTH),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...tenantIsolation(),
  triggers: [
    forbidTrigger('company_user', ['delete', 'truncate']),
    defineTrigger(
      'company_user_require_principal',
      'before',
      ['insert', 'update'],
      'company_user',
      'row',
      'require_principal()',
    ),
  ],
});

/** Who acts: a human admin, or the integration user of one API key. The table is `company_user`: `user` is SQL's. */
export class User extends userSchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
userSchema.setClass(User);

/** A foreign key to a user of the same company. */
export const userReference = (column: string) =>
  p.manyToOne(User).joinColumns('company_id', column).updateRule('no action');

/**
 * The same without a foreign key of its own: `audit_row` holds the column to the user who acts, and the event that it
 * writes has the foreign key (docs/decisions, 0003).
 */
export const actingUserReference = (column: string) => userReference(column).createForeignKeyConstraint(false);
