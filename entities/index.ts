import { EntitySchema } from '@mikro-orm/core';
import { ApiKey } from './api-key/api-key.ts';
import { ApiKeyRequest } from './api-key/request.ts';
import { ApiKeyUsage } from './api-key/usage.ts';
import { AuditEvent } from './audit/event.ts';
import { AuditWatermark, AuditSeal } from './audit/seal.ts';
import { Comment } from './comment/comment.ts';
import { Company, ErasedCompany } from './company/company.ts';
import { CompanyMove } from './company/moving.ts';
import { Evidence } from './evidence/evidence.ts';
import { File, FormerPlace } from './file/file.ts';
import { FileChunk } from './file/file-chunk.ts';
import { Gap } from './reference-data/gap.ts';
import { Department, Framework } from './reference-data/reference-data.ts';
import { IdempotencyRecord } from './idempotency-record/idempotency-record.ts';
import { InboxItem, InboxReader } from './inbox/item.ts';
import { SummaryMail } from './inbox/summary.ts';
import { Watch } from './inbox/watching.ts';
import { Identity } from './member/identity.ts';
import { Invitation } from './member/invitation.ts';
import { Member } from './member/member.ts';
import { QueuedMail } from './mail/queued-mail.ts';
import { EmailLink } from './person/email-link.ts';
import { Passkey } from './person/passkey.ts';
import { Person } from './person/person.ts';
import { RecoveryCode } from './person/second-factor.ts';
import { ResetLink } from './person/reset-link.ts';
import { Proof } from './proof/proof.ts';
import { Requirement } from './requirement/requirement.ts';
import { RewriteRequest } from './rewrite/rewrite-request.ts';
import { SearchDocument, SearchReader } from './search/document.ts';
import { SigningKey } from './signing-key/signing-key.ts';
import { SignIn, UnknownSignIn } from './sign-in/sign-in.ts';
import { SignInChallenge } from './sign-in/sign-in-challenge.ts';
import { Sso, SsoDomain } from './single-sign-on/sso.ts';
import { WebSession } from './sign-in/web-session.ts';
import { Secret } from './api-key/secret.ts';
import { deletionTrigger } from './schema/access.ts';
import type { AuditedResource } from './schema/audited-resource.ts';
import { ImportAnswers } from './import/answers.ts';
import { Import, ImportChunk, ImportError } from './import/import.ts';
import { ImportNote } from './import/notes.ts';
import { ImportChange } from './import/undo.ts';
import { TaskCount, TaskStatusDay } from './task/status-history.ts';
import { ExternalId } from './external-id/external-id.ts';
import { Task, TaskLabel, TaskRequirement, TaskVendor } from './task/task.ts';
import { User } from './company/user.ts';
import { Vendor } from './vendor/vendor.ts';
import { View } from './view/view.ts';
import { DataVersion, ServiceProcess } from './version/data-version.ts';
import { WebhookDelivery } from './webhook/delivery.ts';
import { Webhook } from './webhook/webhook.ts';

/** An entity class with the privileges of the service role on its table. */
export interface GrantedEntity {
  readonly name: string;
  /** Privileges beyond SELECT. */
  readonly writePrivileges: readonly ('insert' | 'update' | 'delete')[];
}

/**
 * Every entity, for the ORM, its migrations and the privileges of the service role. Audited ones are in the order of the API document.
 */
export const entities = [
  Company,
  ErasedCompany,
  CompanyMove,
  User,
  Framework,
  Department,
  Requirement,
  Gap,
  ApiKey,
  ApiKeyRequest,
  ApiKeyUsage,
  Task,
  TaskVendor,
  TaskRequirement,
  TaskLabel,
  TaskCount,
  TaskStatusDay,
  Vendor,
  Comment,
  File,
  FileChunk,
  FormerPlace,
  Evidence,
  ExternalId,
  AuditEvent,
  AuditSeal,
  AuditWatermark,
  IdempotencyRecord,
  Secret,
  Import,
  ImportAnswers,
  ImportChange,
  ImportChunk,
  ImportError,
  ImportNote,
  Person,
  Member,
  Identity,
  Invitation,
  WebSession,
  ResetLink,
  EmailLink,
  QueuedMail,
  RecoveryCode,
  Passkey,
  SignInChallenge,
  SignIn,
  UnknownSignIn,
  Sso,
  SsoDomain,
  View,
  InboxReader,
  InboxItem,
  Watch,
  SummaryMail,
  SearchDocument,
  SearchReader,
  Webhook,
  WebhookDelivery,
  Proof,
  SigningKey,
  RewriteRequest,
  DataVersion,
  ServiceProcess,
] as const satisfies readonly GrantedEntity[];

type Audited = Extract<(typeof entities)[number], { readonly resource: AuditedResource }>;

const isAudited = (entity: (typeof entities)[number]): entity is Audited => 'resource' in entity;

/** Every audited resource, in the order of the API document. */
export const auditedResources = entities.filter(isAudited).map(({ resource }): Audited['resource'] => resource);

// What belongs to an object is deleted before it, so that its events come first.
for (const entity of entities.filter(isAudited)) {
  const trigger = deletionTrigger(entity.resource, auditedResources);
  if (trigger !== undefined) EntitySchema.REGISTRY.get(entity)?.meta.triggers.push(trigger);
}
