import type { ParsedResponse, StepContext } from '../step-context.ts';
import type { Action } from '../steps.ts';
import { VENDORS, firstNonEmpty, pickFields, withoutTimestamps, withoutUndefined } from './values.ts';
import { vendorOutput } from './vendor.ts';

const cursorFromLink = (link: unknown): string | null =>
  typeof link === 'string' ? (/[?&]cursor=([^&>]+)/.exec(link)?.[1] ?? null) : null;

export async function listVendors(
  context: StepContext,
  { status, view, limit, cursor: cursorOwner }: Extract<Action, { type: 'list vendors' }>,
): Promise<void> {
  const denied = context.deniedStatuses('vendor:read');
  const storedCursor =
    cursorOwner === undefined ? undefined : (cursorOwner === 'own' ? context.model : context.otherModel).vendorCursor;
  const isPaged = context.step.transport === 'tRPC' || limit !== undefined;
  const sendPage = (input: object, predicted: number[]) => {
    const path = `${VENDORS}/list`;
    return context.sendRead(
      { procedure: 'vendor.page', method: 'GET', path, input: withoutUndefined({ ...input }) },
      predicted,
    );
  };
  const parsePage = ({ response, data }: ParsedResponse) => ({
    items: (Array.isArray(data) ? data : Reflect.get(Object(data), 'items')) as { uniqueId: string }[],
    nextCursor: Array.isArray(data)
      ? cursorFromLink(response.headers['link'])
      : (Reflect.get(Object(data), 'nextCursor') as string | null),
  });
  if (storedCursor !== undefined) {
    // A cursor is valid only for the company that received it.
    const page = await sendPage(
      { limit: 100, cursor: storedCursor },
      firstNonEmpty(denied, cursorOwner === 'foreign' ? [400] : []),
    );
    const isOwn =
      page === undefined || parsePage(page).items.every(({ uniqueId }) => context.model.vendors.has(uniqueId));
    if (page !== undefined) context.assert(isOwn, page.response, 'only vendors of the company');
    return;
  }
  const expectedVendors = [...context.model.vendors.values()]
    .filter((vendor) => status === undefined || vendor.status === status)
    .toSorted((one, other) => (one.name + one.uniqueId < other.name + other.uniqueId ? -1 : 1))
    .map((vendor) =>
      view === 'full' ? vendorOutput(context, vendor) : pickFields({ ...vendor }, ['uniqueId', 'name', 'status']),
    );
  // Whole vendors are paged.
  const predicted = firstNonEmpty(denied, view === 'full' && limit === undefined ? [400] : []);
  const seen: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const result = await sendPage({ status, view, limit, cursor }, predicted);
    if (result === undefined) return;
    const { items, nextCursor } = parsePage(result);
    seen.push(...(view === 'full' ? items.map(withoutTimestamps) : items));
    context.assertEqual(seen, expectedVendors.slice(0, seen.length), result);
    cursor = isPaged ? nextCursor : null;
    if (typeof cursor === 'string' && status === undefined && view === undefined) context.model.vendorCursor = cursor;
    context.assert(
      typeof cursor === 'string' || seen.length === expectedVendors.length,
      result.response,
      'all vendors',
    );
  } while (typeof cursor === 'string');
}
