import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import type { ResourceAccess } from '../../entities/schema/access.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { runOrDryRun } from '../core/dry-run.ts';
import { preconditions } from './actions.ts';
import type { UpsertOptions, UpsertResult } from './actions.ts';
import type { Meta } from '../core/declaration/meta.ts';
import { changeProcedure, resourceProcedure } from '../core/trpc.ts';
import { UPSERT_QUERY_FIELDS, upsertOutput } from '../schemas/external-id.ts';

type Operation = 'putByExternalId' | 'getByExternalId' | 'deleteByExternalId' | 'link';
type Path = NonNullable<Meta['openapi']>['path'];

/** Fields of a PUT that are neither the external id nor fields of the object. */
type PutOptions = Pick<UpsertOptions, 'mode' | 'create' | 'recreate'> & { dryRun: boolean };

/** A resource whose objects have external ids. */
interface ReferencedResource<Reference, ReferenceInput, Put, PutInput, Link, LinkInput, Output, Item> {
  resource: { access: ResourceAccess };
  paths: Readonly<Record<'item' | 'byExternalId' | 'link', Path>>;
  /** Texts of the operations in the OpenAPI document. */
  openapi: Readonly<Record<Operation, Omit<NonNullable<Meta['openapi']>, 'method' | 'path'>>>;
  /** Description of a PUT for models. */
  putToolDescription: string;
  /** Errors of a PUT. */
  putErrors: number[];
  schemas: {
    reference: z.ZodType<Reference, ReferenceInput>;
    put: z.ZodType<Put, PutInput>;
    link: z.ZodType<Link, LinkInput>;
    item: z.ZodType<Output, Item>;
  };
  actions: {
    read(this: void, session: Session, reference: NoInfer<Reference>): Promise<NoInfer<Item>>;
    upsert(
      this: void,
      session: Session,
      put: Omit<NoInfer<Put>, keyof PutOptions>,
      options: UpsertOptions,
    ): Promise<UpsertResult<NoInfer<Item>>>;
    remove(this: void, session: Session, uniqueId: string, ifMatch: IfMatch): Promise<void>;
    link(this: void, session: Session, link: NoInfer<Link>): Promise<NoInfer<Item>>;
  };
}

/** Procedures for the objects of a resource by external id. Contract, section 10. */
export function externalIdProcedures<
  Reference,
  ReferenceInput,
  Put extends PutOptions,
  PutInput,
  Link,
  LinkInput,
  Output,
  Item extends { uniqueId: string },
>({
  resource,
  paths,
  openapi,
  putToolDescription,
  putErrors,
  schemas,
  actions,
}: ReferencedResource<Reference, ReferenceInput, Put, PutInput, Link, LinkInput, Output, Item>) {
  const path = paths.byExternalId;
  return {
    putByExternalId: resourceProcedure(resource, 'write')
      .meta({
        mcp: { description: putToolDescription },
        openapi: { method: 'PUT', path, ...openapi.putByExternalId, errorResponses: putErrors },
        body: { kind: 'json', queryFields: UPSERT_QUERY_FIELDS },
        response: { kind: 'upsert', location: paths.item },
      })
      .input(schemas.put)
      .output(upsertOutput(schemas.item))
      .mutation(({ ctx, input: { mode, create, recreate, dryRun, ...put } }) =>
        runOrDryRun(ctx.session, dryRun, (session) =>
          actions.upsert(session, put, { mode, create, recreate, ...preconditions(ctx) }),
        ),
      ),

    getByExternalId: resourceProcedure(resource, 'read')
      .meta({
        openapi: { method: 'GET', path, ...openapi.getByExternalId },
      })
      .input(schemas.reference)
      .output(schemas.item)
      .query(({ ctx, input }) => actions.read(ctx.session, input)),

    deleteByExternalId: changeProcedure(resource, 'delete')
      .meta({ openapi: { method: 'DELETE', path, ...openapi.deleteByExternalId } })
      .input(schemas.reference)
      .output(z.void())
      .mutation(async ({ ctx: { session, ifMatch }, input }) => {
        const { uniqueId } = await actions.read(session, input);
        return actions.remove(session, uniqueId, ifMatch);
      }),

    link: resourceProcedure(resource, 'write')
      .meta({
        mcp: { isAdditive: true },
        openapi: { method: 'POST', path: paths.link, ...openapi.link, errorResponses: [404, 409, 422] },
      })
      .input(schemas.link)
      .output(schemas.item)
      .mutation(({ ctx, input }) => actions.link(ctx.session, input)),
  };
}
