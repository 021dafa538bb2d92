import { z } from 'zod';
import { evidenceResource } from '../../entities/evidence/evidence.ts';
import { evidenceStatements } from '../../entities/evidence/statements.ts';
import { listChildren } from '../core/resource.ts';
import { DEFAULT_MAX_FILE_BYTES } from '../core/storage.ts';
import { changeProcedure, resourceProcedure, router } from '../core/trpc.ts';
import { namedParent, parentOperations, readParent } from '../parent/parent.ts';
import { FileContent } from '../schemas/file-content.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import { readContent } from './content.ts';
import { listAllEvidence } from './list-all.ts';
import { MCP, openapi } from './openapi.ts';
import {
  AllEvidenceQuery,
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
import { attachFile, discardFile, receiveFile } from './upload.ts';
import { actions, attachLink, changeEvidence } from './write.ts';

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

/** The evidence of tasks and vendors. Contract, section 19. */
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
      openapi: { method: 'PATCH', path: `${BASE_PATH}/{evidence}/edit`, ...openapi.update, errorResponses: [422] },
    })
    .input(EvidenceChanges)
    .output(EvidenceOutput)
    .mutation(({ ctx, input }) => changeEvidence(ctx.session, input, ctx.ifMatch)),

  delete: changeProcedure(evidenceResource, 'delete')
    .meta({
      openapi: { method: 'DELETE', path: `${BASE_PATH}/{evidence}/delete`, ...openapi.delete },
    })
    .input(EvidenceId)
    .output(z.void())
    .mutation(({ ctx, input }) => actions.remove(ctx.session, input.evidence, ctx.ifMatch)),
});
