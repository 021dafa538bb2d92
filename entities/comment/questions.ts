import { readCondition, writeConditions } from '../schema/access.ts';
import { CHANGED_AT, metadataJoins } from '../statements/change-metadata.ts';
import { columnsWithMetadata, updateReturningCurrent } from '../statements/columns.ts';
import type { UpdateResult } from '../statements/columns.ts';
import { batchedWrite, readStatement } from '../statements/define-statement.ts';
import { matchesEntityTag } from '../statements/entity-tag.ts';
import type { IfMatch } from '../statements/entity-tag.ts';
import { MAX_DUE_COUNT } from '../task/overview.ts';
import { commentResource } from './comment.ts';
import type { COMMENT_KINDS, commentStatements } from './comment.ts';

/** A comment as a statement selects it. */
type CommentRow = Parameters<typeof commentStatements.toRecord>[0];

/** Comments as those see them who resolve questions: others than the author may. */
export const RESOLVED = { ...commentResource, access: { ...commentResource.access, byAuthor: false } };

interface Resolution {
  uniqueId: string;
  ifMatch: IfMatch;
  /** False reopens the question. */
  isResolved: boolean;
  /** True for a principal who resolves the questions of everybody. */
  ofAll: boolean;
}

/** Resolves a question, or reopens it. Returns the comment in any case. */
export const setResolved = batchedWrite<Resolution, UpdateResult<CommentRow>>(
  'comment.set-resolved',
  (placeholders) => {
    const { user, isResolved, ofAll } = placeholders;
    return updateReturningCurrent(
      commentResource,
      placeholders,
      `resolved = case when ${isResolved}::boolean then jsonb_build_object('at', ${CHANGED_AT}, 'by', ${user}::uuid) end,
    version = comment.version + 1, updated_at = now(), updated_by_id = ${user}::uuid`,
      [
        `comment.kind = 'question' and (comment.resolved is null) = ${isResolved}`,
        `(${ofAll}::boolean or comment.created_by_id = ${user}::uuid)`,
        ...writeConditions(RESOLVED, placeholders, 'write'),
        matchesEntityTag(commentResource, placeholders),
      ],
    );
  },
  ({ uniqueId }) => uniqueId,
);

interface Page {
  kind: (typeof COMMENT_KINDS)[number] | null;
  resolved: boolean | null;
  author: string | null;
  beforeId: string;
  limit: number;
}

/** Comments that the scopes and the frameworks of the principal reach, newest first, before an id. @param condition in SQL */
const pageOf = (name: string, condition = 'true') =>
  readStatement<Page, CommentRow>(
    name,
    (placeholders) => `select ${columnsWithMetadata(commentResource, 'c')}
  from (select * from comment c
    where c.company_id = ${placeholders.company} and c.unique_id < ${placeholders.beforeId}::uuid and ${condition}
      and ${readCondition(commentResource, 'c', placeholders)}
      and (${placeholders.kind}::text is null or c.kind = ${placeholders.kind})
      and (${placeholders.resolved}::boolean is null or (c.resolved is not null) = ${placeholders.resolved})
      and (${placeholders.author}::uuid is null or c.created_by_id = ${placeholders.author})
    order by c.unique_id desc limit ${placeholders.limit}::int) c ${metadataJoins('c')}
  order by c.unique_id desc`,
  );

export const pageComments = pageOf('comment.page-all');
/** The same for a filter that only questions match, from their index. */
export const pageQuestions = pageOf('comment.page-questions', `c.kind = 'question'`);

/** Number of open questions that the scopes and the frameworks of the principal reach, up to one more than `MAX_DUE_COUNT`. */
export const countOpenQuestions = readStatement<object, { open: number }>(
  'overview.questions',
  (placeholders) => `select count(*)::int as open from (
    select from comment c where c.company_id = ${placeholders.company} and c.kind = 'question' and c.resolved is null
      and ${readCondition(commentResource, 'c', placeholders)} limit ${MAX_DUE_COUNT + 1}) counted`,
);
