import { defineEntity, p } from '@mikro-orm/core';
import { NO_FRAMEWORK } from '../ids.ts';
import { companyKey, companyKeyWithoutForeignKey, tenantIsolation } from '../schema/tenancy.ts';

/** Types of the objects that a search finds, as in events. */
export const SEARCH_TYPES = [
  'task',
  'vendor',
  'requirement',
  'comment',
  'evidence',
  'framework',
  'department',
  'member',
] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

const WORDS_INDEX = `create index search_document_words on search_document using gin (words) with (gin_pending_list_limit = 1024)`;

const searchDocumentSchema = defineEntity({
  name: 'SearchDocument',
  properties: {
    ...companyKeyWithoutForeignKey,
    type: p.string().length(20).primary(),
    /** The uniqueId of the object, or its id as text. */
    objectId: p.string().length(36).collation('C').primary(),
    /** Framework of the object; NO_FRAMEWORK if it has none. */
    frameworkId: p.integer().default(NO_FRAMEWORK),
    /** Scope that a reader needs to find it. */
    scope: p.string().length(20),
    changedAt: p.datetime(3),
    /** Words of its texts (`toVector`). */
    words: p.text().columnType('tsvector'),
  },
  ...tenantIsolation(),
  // Not forced: `find_documents` reads as the owner of the table. decision 0070.
  rowLevelSecurity: true,
  indexes: [
    { name: 'search_document_by_change', properties: ['company', 'type', 'changedAt'] },
    { name: 'search_document_words', expression: WORDS_INDEX },
  ],
});

/** The words of an object that a search finds. A job keeps it, and responses show what the object itself says. Contract, section 33. */
export class SearchDocument extends searchDocumentSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
searchDocumentSchema.setClass(SearchDocument);

const searchReaderSchema = defineEntity({
  name: 'SearchReader',
  properties: {
    company: () => companyKey.company().deleteRule('no action'),
    /** Number of the last seal whose event the documents follow. */
    position: p.bigint().default(0),
    /** Type whose objects are being added, of a company from before the index, and the last id that was; null when all are there. */
    building: p.string().length(20).nullable(),
    builtId: p.string().length(36).nullable(),
    /** End of the lease of the process that works on the documents. */
    leaseUntil: p.datetime(6).nullable(),
  },
  ...tenantIsolation('select', 'insert'),
});

/** Position of the documents of a company in its seals. */
export class SearchReader extends searchReaderSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
}
searchReaderSchema.setClass(SearchReader);
