import { z } from 'zod';
import {
  VIEW_LIMITS,
  VIEW_PAGES,
  findView,
  listViewNames,
  listViews,
  toViewRecord,
  deleteView,
  countViews,
  insertView,
  lockView,
  lockViews,
  updateView,
} from '../../entities/view/view.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { isAdmin } from '../../entities/principal.ts';
import {
  noInput,
  ActorOutput,
  booleanInput,
  enumInput,
  nameInput,
  textInput,
  uniqueIdInput,
  uniqueIdOutput,
  listOutput,
  textOutput,
} from '../../entities/fields/schemas.ts';
import { accountProcedure, router } from '../core/trpc.ts';

/** Reads a view. @throws ApiError 404 also for a private view of another member */
async function readView(session: Session, uniqueId: string) {
  return toViewRecord(found(isUniqueId(uniqueId) ? await session.first(findView, { uniqueId }) : undefined, 'view'));
}

/** Creates a view of the member. @throws ApiError 422 above the limits */
const createView = (session: Session, view: z.infer<typeof NewView>) =>
  session.transaction(async (inside) => {
    await inside.run(lockViews, {});
    const { own, shared } = await inside.one(countViews, {});
    if (own >= VIEW_LIMITS.perMember)
      throw new ApiError('unprocessable', `views: a member has at most ${VIEW_LIMITS.perMember} views`);
    if (view.shared && shared >= VIEW_LIMITS.shared) throw tooManyShared();
    return toViewRecord(await inside.one(insertView, { ...view, uniqueId: newUniqueId() }));
  });

const tooManyShared = () =>
  new ApiError('unprocessable', `shared: a company has at most ${VIEW_LIMITS.shared} shared views`);

/** Changes a view. @throws ApiError 404, 403, 422 above the limit of shared views */
const changeView = (session: Session, { uniqueId, name, page, query, shared }: z.infer<typeof ViewChanges>) =>
  session.transaction(async (inside) => {
    // Before the row, so that no two transactions wait for each other.
    if (shared === true) await inside.run(lockViews, {});
    const before = await lock(inside, uniqueId);
    if (shared === true && !before.shared && (await inside.one(countViews, {})).shared >= VIEW_LIMITS.shared)
      throw tooManyShared();
    const changes = { name: name ?? null, page: page ?? null, query: query ?? null, shared: shared ?? null };
    return toViewRecord((await inside.first(updateView, { uniqueId, ...changes })) ?? before);
  });

/** Deletes a view. @throws ApiError 404, 403 */
const removeView = (session: Session, uniqueId: string): Promise<void> =>
  session.transaction(async (inside) => {
    await lock(inside, uniqueId);
    await inside.run(deleteView, { uniqueId });
  });

/** Locks a view that the member may change. @throws ApiError 404 also for a private view of another member, 403 */
async function lock(inside: Session, uniqueId: string) {
  const view = found(isUniqueId(uniqueId) ? await inside.first(lockView, { uniqueId }) : undefined, 'view');
  const { principal } = inside;
  if (view.owner_id !== principal.user.uniqueId && !isAdmin(principal))
    throw new ApiError('forbidden', 'view: only its owner or an admin may change it');
  return view;
}

const page = enumInput(VIEW_PAGES).meta({ description: 'Page of the application' });

const viewFields = {
  name: nameInput('Name of the view'),
  page,
  query: textInput(`text of at most ${VIEW_LIMITS.maxQueryLength} characters`, VIEW_LIMITS.maxQueryLength).meta({
    description: 'Query string of the page, which is kept as it is sent',
    examples: ['assignee=me&due=week'],
  }),
  shared: booleanInput.meta({ description: 'Whether every member of the company sees the view' }),
};

const ViewId = z.strictObject({
  uniqueId: uniqueIdInput('uniqueId of the view', '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6078'),
});
export const NewView = z.strictObject({ ...viewFields, shared: viewFields.shared.default(false) });
export const ViewChanges = ViewId.extend(z.strictObject(viewFields).partial().shape);

const ViewOutput = z.object({
  uniqueId: uniqueIdOutput,
  name: textOutput(MAX_NAME_LENGTH, 'My tasks of this week'),
  page,
  query: textOutput(VIEW_LIMITS.maxQueryLength, 'assignee=me&due=week'),
  shared: z.boolean(),
  owner: ActorOutput.meta({ description: 'Member who made the view' }),
});

/** Views of the member, and the shared ones of the company. Contract, section 18. */
export const view = router({
  list: accountProcedure
    .meta({ description: 'List the own views and the shared ones of the company, by name' })
    .input(noInput)
    .output(listOutput(ViewOutput))
    .query(async ({ ctx }) => (await ctx.session.run(listViews, {})).map(toViewRecord)),

  names: accountProcedure
    .meta({ description: 'List the same views without their queries' })
    .input(noInput)
    .output(listOutput(ViewOutput.omit({ query: true })))
    .query(async ({ ctx }) => (await ctx.session.run(listViewNames, {})).map(toViewRecord)),

  get: accountProcedure
    .meta({ description: 'Show a view' })
    .input(ViewId)
    .output(ViewOutput)
    .query(({ ctx, input }) => readView(ctx.session, input.uniqueId)),

  create: accountProcedure
    .meta({ description: 'Save a view' })
    .input(NewView)
    .output(ViewOutput)
    .mutation(({ ctx, input }) => createView(ctx.session, input)),

  update: accountProcedure
    .meta({ description: 'Change a view' })
    .input(ViewChanges)
    .output(ViewOutput)
    .mutation(({ ctx, input }) => changeView(ctx.session, input)),

  delete: accountProcedure
    .meta({ description: 'Delete a view' })
    .input(ViewId)
    .output(z.void())
    .mutation(({ ctx, input }) => removeView(ctx.session, input.uniqueId)),
});
