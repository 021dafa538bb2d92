import { ApiKey } from '../api-key/api-key.ts';
import { Company } from '../company/company.ts';
import { FileChunk } from '../file/file-chunk.ts';
import { auditedResources } from '../index.ts';
import { gapResource } from '../reference-data/gap.ts';
import { departmentResource, frameworkResource } from '../reference-data/reference-data.ts';
import { View } from '../view/view.ts';
import { Webhook } from '../webhook/webhook.ts';
import { personalResource, personalTable } from './table.ts';

const UNTIL_DELETED = 'until it is deleted';
const WITH_COMPANY = 'with the company';
const READERS = 'members and keys with the permission to read it';
const ADMINS = 'admins, auditors, the operator';

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
        'lockClosed',
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
  ...[frameworkResource, departmentResource, gapResource].map((resource) =>
    personalResource(resource, { kept: WITH_COMPANY, seenBy: READERS, erasedBy: ['company'] }),
  ),
  ...auditedResources.flatMap((resource) => ('access' in resource ? [personalResource(resource, WRITTEN)] : [])),
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
