import { ApiKey, apiKeyResource } from './api-key/api-key.ts';
import { ApiKeyUsage } from './api-key/usage.ts';
import { AuditEvent } from './audit/event.ts';
import { AuditWatermark, AuditSeal } from './audit/seal.ts';
import { Company, companyResource } from './company.ts';
import { Department, departmentResource } from './department.ts';
import { Framework, frameworkResource } from './framework.ts';
import { Gap, gapResource } from './gap.ts';
import type { WritePrivileges } from './schema/row-level-security.ts';
import { IdempotencyRecord } from './idempotency-record.ts';
import { Invitation, invitationResource } from './people/invitation.ts';
import { Member, memberResource } from './people/member.ts';
import { Passkey } from './people/passkey.ts';
import { Person } from './people/person.ts';
import { RecoveryCode } from './people/recovery-code.ts';
import { ResetLink } from './people/reset-link.ts';
import { SignIn, UnknownSignIn } from './people/sign-in.ts';
import { SignInChallenge } from './people/sign-in-challenge.ts';
import { Sso, SsoDomain, ssoResource } from './people/sso.ts';
import { WebSession } from './people/web-session.ts';
import { Secret } from './api-key/secret.ts';
import { Import } from './sync/import.ts';
import { ImportChunk } from './sync/import-chunk.ts';
import { ImportError } from './sync/import-error.ts';
import { TaskCount } from './counts/task-count.ts';
import { TaskStatusDay } from './counts/task-status-day.ts';
import { ExternalId } from './sync/external-id.ts';
import { Task, taskResource } from './task.ts';
import { User } from './user.ts';
import { Vendor, vendorResource } from './vendor.ts';
import { DataVersion } from './version/data-version.ts';
import { ServiceProcess } from './version/service-process.ts';
import { WebhookDelivery } from './webhook/delivery.ts';
import { Webhook, webhookResource } from './webhook/webhook.ts';

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
  ApiKeyUsage,
  Framework,
  Department,
  Gap,
  Task,
  TaskCount,
  TaskStatusDay,
  Vendor,
  ExternalId,
  AuditEvent,
  AuditSeal,
  AuditWatermark,
  IdempotencyRecord,
  Secret,
  Import,
  ImportChunk,
  ImportError,
  Person,
  Member,
  Invitation,
  WebSession,
  ResetLink,
  RecoveryCode,
  Passkey,
  SignInChallenge,
  SignIn,
  UnknownSignIn,
  Sso,
  SsoDomain,
  Webhook,
  WebhookDelivery,
  DataVersion,
  ServiceProcess,
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
  memberResource,
  invitationResource,
  ssoResource,
  webhookResource,
] as const;
