import { ApiKey } from './api-key/api-key.ts';
import { AuditEvent } from './audit/event.ts';
import { AuditWatermark, AuditSeal } from './audit/seal.ts';
import { Company } from './company.ts';
import { Department } from './department.ts';
import { Framework } from './framework.ts';
import { Gap } from './gap.ts';
import type { WritePrivileges } from './schema/row-level-security.ts';
import { IdempotencyRecord } from './idempotency-record.ts';
import { Secret } from './api-key/secret.ts';
import { TaskCount } from './task-count.ts';
import { Task } from './task.ts';
import { User } from './user.ts';
import { Vendor } from './vendor.ts';

/** An entity class with the privileges of the service role on its table. */
export interface GrantedEntity {
  readonly name: string;
  readonly writePrivileges: WritePrivileges;
}

/** Every entity, for the ORM, its migrations and the privileges of the service role. */
export const entities = [
  Company,
  User,
  ApiKey,
  Framework,
  Department,
  Gap,
  Task,
  TaskCount,
  Vendor,
  AuditEvent,
  AuditSeal,
  AuditWatermark,
  IdempotencyRecord,
  Secret,
] as const satisfies readonly GrantedEntity[];
