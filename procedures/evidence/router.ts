import { z } from 'zod';
import { MAX_EVIDENCE, evidenceResource } from '../../entities/evidence/evidence.ts';
import { evidenceStatements, pageAllEvidence, sampleAllEvidence } from '../../entities/evidence/statements.ts';
import { SAMPLE_ORDER, positionWithSeed } from '../../entities/statements/sample.ts';
import type { Session } from '../../database/session.ts';
import { LAST_ID } from '../../entities/ids.ts';
import { findFile } from '../../entities/file/statements.ts';
import { found, notFound } from '../../entities/api-error.ts';
import { listChildren } from '../core/resource.ts';
import { DEFAULT_MAX_FILE_BYTES } from '../core/storage.ts';
import { changeProcedure, memberChangeProcedure, resourceProcedure, router } from '../core/trpc.ts';
import { namedParent, parentOperations, readParent } from '../parent/parent.ts';
import { FileContent } from '../schemas/file-content.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import { readPage } from '../schemas/cursor.ts';
import { expiringBefore } from '../parent/expiring.ts';
import type { Services } from '../core/services.ts';
import { nounOf, operationTexts } from '../document/resource-texts.ts';
import {
  AllEvidenceQuery,
  CheckInput,
  EvidenceChanges,
  EvidenceId,
  EvidenceOutput,
  EvidenceQuery,
  FILE_QUERY_FIELDS,
  NewFile,
  NewLink,
  newFileShape,
  newLinkShape,
  ofEvidence,
} from './schemas.ts';
import { attachFile, discardFile, receiveFile, storageOf } from './upload.ts';
import { actions, attachLink, changeEvidence, recordCheck } from './write.ts';

const text = operationTexts('Evidence');
const RIGHTS = 'Needs the read scope of the task, vendor or requirement too.';
const MAX = (noun: string) =>
  `The ${noun} itself does not change. A ${noun} has at most ${MAX_EVIDENCE} pieces of evidence.`;

/** Operations below each kind of parent, and texts of the others, in the OpenAPI document. */
const openapi = {
  upload: (noun: string) => ({
    method: 'POST' as const,
    path: '/evidence/new' as const,
    ...text(
      `upload${nounOf(noun)}Evidence`,
      `Attach a file to a ${noun}`,
      `The body is the file, of at most 50 MiB by default, of any media type. ${MAX(noun)}`,
    ),
    errorResponses: [404, 422],
  }),
  link: (noun: string) => ({
    method: 'POST' as const,
    path: '/evidence/link' as const,
    ...text(`link${nounOf(noun)}Evidence`, `Attach a link to a ${noun}`, MAX(noun)),
    errorResponses: [404, 422],
  }),
  list: (noun: string) => ({
    method: 'GET' as const,
    path: '/evidence/list' as const,
    ...text(`list${nounOf(noun)}Evidence`, `List the evidence of a ${noun}`, 'Newest first.'),
  }),
  listAll: text(
    'listEvidence',
    'List the evidence of all tasks, vendors and requirements',
    'Newest first: all that the read scopes and the frameworks of the key allow. Also needs `task:read` or `vendor:read`.',
  ),
  get: text('getEvidence', 'Read a piece of evidence', RIGHTS),
  content: text(
    'getEvidenceContent',
    'Download the file of a piece of evidence',
    `The response is always an attachment. \`Range\` takes one range. A link has no file (404). ${RIGHTS}`,
  ),
  update: text(
    'updateEvidence',
    'Change a piece of evidence',
    `Omitted fields keep their value. The file does not change. ${RIGHTS}`,
  ),
  delete: text(
    'deleteEvidence',
    'Delete a piece of evidence',
    `Its file is deleted within a minute, unless other evidence has the same bytes. The audit log keeps everything else. ${RIGHTS}`,
  ),
};

const EITHER = 'Takes one of `taskUniqueId`, `vendor` and `requirement`.';

/** Texts for models, of procedures with an operation for each kind of parent. */
const MCP = {
  upload: { exclude: 'A file does not fit into the arguments of a tool: upload it over REST.' },
  content: { exclude: 'A file does not fit into the result of a tool: download it over REST.' },
  link: { title: 'Attach a link to a task, a vendor or a requirement', description: EITHER },
  list: { title: 'List the evidence of a task, a vendor or a requirement', description: `${EITHER} Newest first.` },
};

/** The file of evidence, to be sent. @throws ApiError 404 for a link, 503 without its store */
async function readContent(
  session: Session,
  evidence: string,
  services: Services | undefined,
): Promise<z.infer<typeof FileContent>> {
  const { name, fileId, mediaType, uniqueId: evidenceId } = await actions.read(session, evidence);
  if (fileId === null || mediaType === null) throw notFound('content');
  const { company, uniqueId, store, place, size, sha256 } = found(
    await session.first(findFile, { uniqueId: fileId }),
    'content',
  );
  const bytes = storageOf(services).store(store, place);
  return {
    name,
    mediaType,
    size,
    sha256,
    evidence: evidenceId,
    read: (range) => bytes.read({ company, uniqueId }, range),
  };
}

/** A page of the evidence of the company that the principal reaches. */
async function listAllEvidence(
  session: Session,
  { expiring = false, check, sort, seed, ...request }: z.infer<typeof AllEvidenceQuery>,
) {
  const filters = { expiresBefore: expiring ? await expiringBefore(session) : null, check: check ?? null };
  const { rows, nextCursor } = await readPage(session, {
    list: ['evidence.list-all', { expiring, check, sort, seed }],
    request,
    fetch: (last, limit) =>
      seed === undefined
        ? session.run(pageAllEvidence, { beforeId: last[0] ?? LAST_ID, ...filters, limit })
        : session.run(sampleAllEvidence, { ...positionWithSeed(SAMPLE_ORDER, last, seed), ...filters, limit }),
    positionOf: ({ uniqueId }) => [uniqueId],
  });
  return { items: rows.map(evidenceStatements.toRecord), nextCursor };
}

const BASE_PATH = '/external/evidence';
const created = { kind: 'json', location: `${BASE_PATH}/{uniqueId}/item` } as const;

/** Procedures that only REST has, because a file is the body. */
export const evidenceFiles = router({
  upload: resourceProcedure(evidenceResource, 'write')
    .meta({
      mcp: MCP.upload,
      session: true,
      operations: parentOperations(evidenceResource, 'write', newFileShape, openapi.upload),
      body: {
        kind: 'file',
        formats: 'any',
        maxBytes: ({ storage } = {}) => storage?.maxBytes ?? DEFAULT_MAX_FILE_BYTES,
        queryFields: FILE_QUERY_FIELDS,
        store: receiveFile,
        discard: discardFile,
      },
      response: created,
    })
    .input(NewFile)
    .output(EvidenceOutput)
    .mutation(({ ctx, input }) => attachFile(ctx.session, ctx, input)),

  content: resourceProcedure(evidenceResource, 'read')
    .meta({
      mcp: MCP.content,
      session: true,
      openapi: { method: 'GET', path: `${BASE_PATH}/{evidence}/content`, ...openapi.content },
      response: { kind: 'bytes' },
    })
    .input(EvidenceId)
    .output(FileContent)
    .query(({ ctx, input }) => readContent(ctx.session, input.evidence, ctx.services)),
});

/** The evidence of tasks, vendors and requirements. Contract, sections 19, 27 and 28. */
export const evidence = router({
  link: resourceProcedure(evidenceResource, 'write')
    .meta({
      mcp: MCP.link,
      operations: parentOperations(evidenceResource, 'write', newLinkShape, openapi.link, ofEvidence),
      response: created,
    })
    .input(NewLink)
    .output(EvidenceOutput)
    .mutation(({ ctx, input }) => attachLink(ctx.session, input)),

  list: resourceProcedure(evidenceResource, 'read')
    .meta({ mcp: MCP.list, operations: parentOperations(evidenceResource, 'read', pagination, openapi.list) })
    .input(EvidenceQuery)
    .output(pageOutput(EvidenceOutput))
    .query(({ ctx: { session }, input: { limit, cursor, ...parent } }) =>
      listChildren(session, evidenceStatements, namedParent(parent), { limit, cursor }, () =>
        readParent(session, parent),
      ),
    ),

  listAll: resourceProcedure(evidenceResource, 'read')
    .meta({
      openapi: { method: 'GET', path: `${BASE_PATH}/list`, ...openapi.listAll },
    })
    .input(AllEvidenceQuery)
    .output(pageOutput(EvidenceOutput))
    .query(({ ctx, input }) => listAllEvidence(ctx.session, input)),

  get: resourceProcedure(evidenceResource, 'read')
    .meta({
      openapi: { method: 'GET', path: `${BASE_PATH}/{evidence}/item`, ...openapi.get },
    })
    .input(EvidenceId)
    .output(EvidenceOutput)
    .query(({ ctx, input }) => actions.read(ctx.session, input.evidence)),

  update: changeProcedure(evidenceResource, 'write')
    .meta({
      openapi: { method: 'PATCH', path: `${BASE_PATH}/{evidence}/edit`, ...openapi.update, errorResponses: [409, 422] },
    })
    .input(EvidenceChanges)
    .output(EvidenceOutput)
    .mutation(({ ctx, input }) => changeEvidence(ctx.session, input, ctx.ifMatch)),

  check: memberChangeProcedure('evidence:read', 'evidence:check')
    .meta({ description: 'Accept or reject a piece of evidence, or withdraw that' })
    .input(CheckInput)
    .output(EvidenceOutput)
    .mutation(({ ctx, input }) => recordCheck(ctx.session, input, ctx.ifMatch)),

  delete: changeProcedure(evidenceResource, 'delete')
    .meta({
      openapi: { method: 'DELETE', path: `${BASE_PATH}/{evidence}/delete`, ...openapi.delete, errorResponses: [409] },
    })
    .input(EvidenceId)
    .output(z.void())
    .mutation(({ ctx, input }) => actions.remove(ctx.session, input.evidence, ctx.ifMatch)),
});
