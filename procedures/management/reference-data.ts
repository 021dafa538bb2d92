import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, found, notFound } from '../../entities/api-error.ts';
import { Gap, gapResource } from '../../entities/reference-data/gap.ts';
import {
  Department,
  Framework,
  departmentResource,
  frameworkResource,
} from '../../entities/reference-data/reference-data.ts';
import {
  manageDepartments,
  manageFrameworks,
  manageGaps,
  updateFramework,
  updateGap,
} from '../../entities/reference-data/statements.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import { toIsoOrNull } from '../../entities/statements/change-metadata.ts';
import { isId } from '../../entities/ids.ts';
import { timestampOutput, noInput, bodyId, nameInput } from '../../entities/fields/schemas.ts';
import { managementProcedure, router } from '../core/trpc.ts';

/** Locks the row until the transaction ends, so that concurrent identical changes write one audit event. */
export const FOR_UPDATE = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

const idOf = (label: string) => ({ id: bodyId(`Id of the ${label}`) });

const archivedAt = timestampOutput.nullable();
const DepartmentOutput = z.object({ id: z.int(), name: z.string(), archivedAt });
const FrameworkOutput = DepartmentOutput.extend({
  owner: frameworkResource.schemas.owner.shown,
  auditDate: frameworkResource.schemas.auditDate.output,
});
const GapOutput = z.object({
  id: z.int(),
  framework: z.int(),
  title: z.string(),
  archivedAt,
  requirement: gapResource.schemas.requirement.output,
  status: gapResource.schemas.status.output,
  owner: gapResource.schemas.owner.shown,
  dueDate: gapResource.schemas.dueDate.output,
});

type Managed<Row> = Statement<{ id: number | null }, Row>;

/** Reads all rows that the principal may see, or those with an id. */
async function readAll<Row extends { archivedAt: string | null }>(
  session: Session,
  statement: Managed<Row>,
  id: number | null = null,
): Promise<Row[]> {
  const rows = await session.run(statement, { id });
  for (const row of rows) row.archivedAt = toIsoOrNull(row.archivedAt);
  return rows;
}

/** @throws ApiError `not_found`, also for an id of another company */
async function readOne<Row extends { archivedAt: string | null }>(
  session: Session,
  statement: Managed<Row>,
  id: number,
): Promise<Row> {
  const [row] = isId(id) ? await readAll(session, statement, id) : [];
  return found(row, 'id');
}

/** Archives a row that is not archived yet. @throws ApiError 404 */
async function archive(
  session: Session,
  entity: typeof Framework | typeof Department | typeof Gap,
  id: number,
): Promise<void> {
  await session.inUnitOfWork((unit) =>
    unit.transactional(async (em) => {
      const row = found(
        (await em.findOne<Framework | Department | Gap>(entity, { id }, FOR_UPDATE)) ?? undefined,
        'id',
      );
      row.archivedAt ??= new Date();
    }),
  );
}

const manage = managementProcedure('management:write');
const lists = managementProcedure('reference-data:read');
const ARCHIVED = 'existing references stay, and new references are rejected';

/** Creates a framework or a department. @returns its id */
const create = (session: Session, entity: typeof Framework | typeof Department, name: string): Promise<number> =>
  session.inUnitOfWork(async (em) => {
    const created = em.create<Framework | Department>(entity, { name, company: session.principal.company });
    await em.flush();
    return created.id;
  });

/** @throws ApiError 422 for an owner or a requirement that cannot be set */
function requireGiven(checks: { ownerUsable: boolean; requirementUsable?: boolean }): void {
  if (checks.requirementUsable === false)
    throw new ApiError('unprocessable', 'requirement: expected a requirement of this framework');
  if (!checks.ownerUsable)
    throw new ApiError('unprocessable', 'ownerId: expected an active member who may see the framework');
}

const FrameworkChanges = z.strictObject({
  ...idOf('framework'),
  name: nameInput('New name').optional(),
  ownerId: frameworkResource.schemas.owner.input.optional(),
  auditDate: frameworkResource.schemas.auditDate.input.optional(),
});

async function changeFramework(session: Session, { id, name, ownerId, auditDate }: z.infer<typeof FrameworkChanges>) {
  const changes = {
    id,
    name: name ?? null,
    ownerId: ownerId ?? null,
    ownerIdGiven: ownerId !== undefined,
    auditDate: auditDate ?? null,
    auditDateGiven: auditDate !== undefined,
  };
  requireGiven(found(isId(id) ? await session.first(updateFramework, changes) : undefined, 'id'));
  return readOne(session, manageFrameworks, id);
}

/** Frameworks. Reference data is archived, never deleted. Contract, sections 7 and 27. */
export const framework = router({
  create: manage
    .meta({ description: 'Create a framework' })
    .input(z.strictObject({ name: frameworkResource.schemas.name.input }))
    .output(FrameworkOutput)
    .mutation(async ({ ctx: { session }, input }) =>
      readOne(session, manageFrameworks, await create(session, Framework, input.name)),
    ),

  list: lists
    .meta({ description: 'List the frameworks, including archived frameworks' })
    .input(noInput)
    .output(z.array(FrameworkOutput))
    .query(({ ctx }) => readAll(ctx.session, manageFrameworks)),

  update: manage
    .meta({ description: 'Change the name, the owner or the audit date of a framework' })
    .input(FrameworkChanges)
    .output(FrameworkOutput)
    .mutation(({ ctx, input }) => changeFramework(ctx.session, input)),

  rename: manage
    .meta({ description: 'Rename a framework, as `update` does' })
    .input(z.strictObject({ ...idOf('framework'), name: nameInput('New name') }))
    .output(FrameworkOutput)
    .mutation(({ ctx, input }) => changeFramework(ctx.session, input)),

  archive: manage
    .meta({ description: `Archive a framework: ${ARCHIVED}` })
    .input(z.strictObject(idOf('framework')))
    .output(FrameworkOutput)
    .mutation(async ({ ctx: { session }, input: { id } }) => {
      await archive(session, Framework, id);
      return readOne(session, manageFrameworks, id);
    }),
});

/** Departments. */
export const department = router({
  create: manage
    .meta({ description: 'Create a department' })
    .input(z.strictObject({ name: departmentResource.schemas.name.input }))
    .output(DepartmentOutput)
    .mutation(async ({ ctx: { session }, input }) =>
      readOne(session, manageDepartments, await create(session, Department, input.name)),
    ),

  list: lists
    .meta({ description: 'List the departments, including archived departments' })
    .input(noInput)
    .output(z.array(DepartmentOutput))
    .query(({ ctx }) => readAll(ctx.session, manageDepartments)),

  rename: manage
    .meta({ description: 'Rename a department' })
    .input(z.strictObject({ ...idOf('department'), name: nameInput('New name') }))
    .output(DepartmentOutput)
    .mutation(async ({ ctx: { session }, input: { id, name } }) => {
      await session.inUnitOfWork((unit) =>
        unit.transactional(async (em) => {
          const row = found((await em.findOne(Department, { id }, FOR_UPDATE)) ?? undefined, 'id');
          row.name = name;
        }),
      );
      return readOne(session, manageDepartments, id);
    }),

  archive: manage
    .meta({ description: `Archive a department: ${ARCHIVED}` })
    .input(z.strictObject(idOf('department')))
    .output(DepartmentOutput)
    .mutation(async ({ ctx: { session }, input: { id } }) => {
      await archive(session, Department, id);
      return readOne(session, manageDepartments, id);
    }),
});

const GapChanges = z.strictObject({
  ...idOf('gap'),
  title: nameInput('New title').optional(),
  requirement: gapResource.schemas.requirement.input.optional(),
  status: gapResource.schemas.status.input.optional(),
  ownerId: gapResource.schemas.owner.input.optional(),
  dueDate: gapResource.schemas.dueDate.input.optional(),
});

async function changeGap(session: Session, { id, ...given }: z.infer<typeof GapChanges>) {
  const changes = {
    id,
    title: given.title ?? null,
    requirement: given.requirement ?? null,
    requirementGiven: given.requirement !== undefined,
    status: given.status ?? null,
    ownerId: given.ownerId ?? null,
    ownerIdGiven: given.ownerId !== undefined,
    dueDate: given.dueDate ?? null,
    dueDateGiven: given.dueDate !== undefined,
  };
  requireGiven(found(isId(id) ? await session.first(updateGap, changes) : undefined, 'id'));
  return readOne(session, manageGaps, id);
}

/** Gaps. Each gap belongs to one framework. See docs/contract.md, section 7. */
export const gap = router({
  create: manage
    .meta({ description: 'Create a gap in a framework' })
    .input(z.strictObject({ framework: bodyId('Id of the framework'), title: gapResource.schemas.title.input }))
    .output(GapOutput)
    .mutation(async ({ ctx: { session }, input: { framework: ofFramework, title } }) => {
      const id = await session.inUnitOfWork(async (em) => {
        const parent = isId(ofFramework) ? await em.findOne(Framework, { id: ofFramework }) : null;
        if (parent === null) throw notFound('framework');
        if (parent.archivedAt) throw new ApiError('unprocessable', 'framework: is archived');
        const created = em.create(Gap, { company: session.principal.company, framework: parent, title });
        await em.flush();
        return created.id;
      });
      return readOne(session, manageGaps, id);
    }),

  list: lists
    .meta({ description: 'List the gaps, including archived gaps' })
    .input(noInput)
    .output(z.array(GapOutput))
    .query(({ ctx }) => readAll(ctx.session, manageGaps)),

  update: manage
    .meta({ description: 'Change the title, the requirement, the status, the owner or the due date of a gap' })
    .input(GapChanges)
    .output(GapOutput)
    .mutation(({ ctx, input }) => changeGap(ctx.session, input)),

  rename: manage
    .meta({ description: 'Change the title of a gap, as `update` does' })
    .input(z.strictObject({ ...idOf('gap'), title: nameInput('New title') }))
    .output(GapOutput)
    .mutation(({ ctx, input }) => changeGap(ctx.session, input)),

  archive: manage
    .meta({ description: 'Archive a gap: tasks with the gap keep it, and it cannot be added to other tasks' })
    .input(z.strictObject(idOf('gap')))
    .output(GapOutput)
    .mutation(async ({ ctx: { session }, input: { id } }) => {
      await archive(session, Gap, id);
      return readOne(session, manageGaps, id);
    }),
});
