import { ApiKey, apiKeyResource } from './api-key/api-key.ts';
import { AuditEvent } from './audit/event.ts';
import { AuditWatermark, AuditSeal } from './audit/seal.ts';
import { Company, companyResource } from './company.ts';
import { Department, departmentResource } from './department.ts';
import { Framework, frameworkResource } from './framework.ts';
import { Gap, gapResource } from './gap.ts';
import type { WritePrivileges } from './schema/row-level-security.ts';
import { IdempotencyRecord } from './idempotency-record.ts';
import { Secret } from './api-key/secret.ts';
import { TaskCount } from './task-count.ts';
import { ExternalId } from './sync/external-id.ts';
import { Task, taskResource } from './task.ts';
import { User } from './user.ts';
import { Vendor, vendorResource } from './vendor.ts';

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
  ExternalId,
  AuditEvent,
  AuditSeal,
  AuditWatermark,
  IdempotencyRecord,
  Secret,
] as const satisfies readonly GrantedEntity[];

/** Every audited resource, in the order of the API document. */
export const auditedResources = [
  companyResource,
  frameworkResource,
  departmentResource,
  gapResource,
  apiKeyResource,
  taskResource,
  vendorResource,
] as const;
