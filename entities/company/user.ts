import { defineEntity, p } from '@mikro-orm/core';
import { MAX_NAME_LENGTH } from './company.ts';
import { companyKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { forbidTrigger, defineTrigger } from '../schema/triggers.ts';

export const USER_KINDS = ['human', 'integration'] as const;
export type UserKind = (typeof USER_KINDS)[number];

/** The operator's user has this id in every company, so that its events are found across companies. */
export const OPERATOR: Actor = { uniqueId: '00000000-0000-7000-8000-000000000001', name: 'Operator', kind: 'human' };

/** The user of an event or a change, as responses show it. */
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

/** A human admin, or the integration user of one API key. The table is `company_user`, as `user` is reserved in SQL. */
export class User extends userSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
}
userSchema.setClass(User);

/** A foreign key to a user of the same company. */
export const userReference = (column: string) => companyReference(User, column);

/**
 * The same without a foreign key. `audit_row` checks that the column names the acting user, and its event has the
 * foreign key (decision 0025).
 */
export const actingUserReference = (column: string) => userReference(column).createForeignKeyConstraint(false);
