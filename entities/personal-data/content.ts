import { ApiKey } from '../api-key/api-key.ts';
import { Comment } from '../comment/comment.ts';
import { Company } from '../company/company.ts';
import { Evidence } from '../evidence/evidence.ts';
import { FileChunk } from '../file/file-chunk.ts';
import { Department } from '../reference-data/department.ts';
import { Framework } from '../reference-data/framework.ts';
import { Gap } from '../reference-data/gap.ts';
import { Task } from '../task/task.ts';
import { Vendor } from '../vendor/vendor.ts';
import { View } from '../view/view.ts';
import { Webhook } from '../webhook/webhook.ts';
import { personalTable } from './table.ts';

const UNTIL_DELETED = 'until it is deleted';
const WITH_COMPANY = 'with the company';
const READERS = 'members and keys with the permission to read it';
const ADMINS = 'admins, auditors, the operator';

/** Properties that every resource has. */
const OF_RESOURCE = ['company', 'uniqueId', 'createdAt', 'updatedAt', 'version'] as const;
const BY = ['createdBy', 'updatedBy'] as const;
/** Treatment of what members and keys write. */
const WRITTEN = { kept: UNTIL_DELETED, seenBy: READERS, erasedBy: ['company'] } as const;

/** Tables with what people write and upload. It is content of the company. */
export const CONTENT = [
  personalTable(
    Company,
    {
      content: ['name'],
      none: [
        'id',
        'timeZone',
        'leakedKeys',
        'closedAt',
        'erasingAt',
        'frozenAt',
        'movedTo',
        'arrivingAt',
        'isDemo',
        'createdAt',
      ],
    },
    { kept: 'until `company erase`', seenBy: 'its members, the operator', erasedBy: [] },
  ),
  personalTable(
    Framework,
    { content: ['name'], none: ['company', 'id', 'archivedAt'] },
    { kept: WITH_COMPANY, seenBy: READERS, erasedBy: ['company'] },
  ),
  personalTable(
    Department,
    { content: ['name'], none: ['company', 'id', 'archivedAt'] },
    { kept: WITH_COMPANY, seenBy: READERS, erasedBy: ['company'] },
  ),
  personalTable(
    Gap,
    { content: ['title'], none: ['company', 'id', 'framework', 'archivedAt'] },
    { kept: WITH_COMPANY, seenBy: READERS, erasedBy: ['company'] },
  ),
  personalTable(
    Task,
    {
      content: ['title', 'description', 'labels'],
      identifier: [...BY, 'assignee'],
      none: [
        ...OF_RESOURCE,
        ...(['framework', 'priority', 'startDate', 'dueDate', 'department', 'gaps', 'status', 'externalIds'] as const),
        ...(['vendors', 'recurrence', 'seriesDate', 'previous', 'nextId', 'seriesId'] as const),
      ],
    },
    WRITTEN,
  ),
  personalTable(
    Vendor,
    {
      content: ['name', 'description', 'website', 'labels', 'dataCategories', 'contacts', 'lastReview'],
      identifier: [...BY, 'owner'],
      none: [
        ...OF_RESOURCE,
        ...(['status', 'externalIds', 'criticality', 'contractStart', 'contractEnd'] as const),
        ...(['reviewEveryMonths', 'nextReview'] as const),
      ],
    },
    WRITTEN,
  ),
  personalTable(
    Comment,
    {
      content: ['text'],
      identifier: [...BY, 'mentions'],
      none: [...OF_RESOURCE, 'taskUniqueId', 'vendor', 'frameworkId'],
    },
    WRITTEN,
  ),
  personalTable(
    Evidence,
    {
      content: ['name', 'note', 'url'],
      identifier: BY,
      none: [
        ...OF_RESOURCE,
        ...(['taskUniqueId', 'vendor', 'kind', 'mediaType', 'size', 'sha256', 'file'] as const),
        ...(['date', 'validUntil', 'frameworkId'] as const),
      ],
    },
    WRITTEN,
  ),
  personalTable(
    FileChunk,
    { content: ['bytes'], none: ['company', 'file', 'index'] },
    { kept: 'a minute longer than the last evidence or proof with it', seenBy: READERS, erasedBy: ['company'] },
  ),
  personalTable(
    View,
    { content: ['name', 'query'], identifier: ['member'], none: ['company', 'uniqueId', 'page', 'shared'] },
    { kept: UNTIL_DELETED, seenBy: 'the member; shared ones: all members', erasedBy: ['person', 'forget'] },
  ),
  personalTable(
    ApiKey,
    {
      content: ['name'],
      address: ['cidrs'],
      none: [
        ...([
          'company',
          'uniqueId',
          'user',
          'hash',
          'previousHash',
          'previousHashExpiresAt',
          'start',
          'last4',
        ] as const),
        ...(['scopes', 'frameworks', 'enabled', 'expiresAt', 'revokedAt', 'lastUsedAt', 'leakedAt'] as const),
        ...(['leakedUrl', 'createdAt'] as const),
      ],
    },
    { kept: WITH_COMPANY, seenBy: ADMINS, erasedBy: ['company'] },
  ),
  personalTable(
    Webhook,
    {
      content: ['url', 'description'],
      identifier: ['createdBy'],
      none: [
        ...(['company', 'uniqueId', 'events', 'enabled', 'disabledReason', 'secret', 'secretChangedAt'] as const),
        ...(['previousSecret', 'previousSecretExpiresAt', 'headers', 'encryptedHeaders', 'headersChangedAt'] as const),
        ...(['apiKey', 'position', 'skipAfterId', 'skipUntilId'] as const),
        ...(['failingSince', 'checkpointSequence', 'checkpointAt', 'createdAt', 'updatedAt'] as const),
      ],
    },
    { kept: UNTIL_DELETED, seenBy: ADMINS, erasedBy: ['company'] },
  ),
];
