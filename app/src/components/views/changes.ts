import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { messageText } from '../error-text.ts';
import { delay, fail, say } from '../undo/undo.ts';
import { quoted } from './view.ts';
import type { View } from './view.ts';

const reload = () => queryClient.invalidateQueries(trpc.view.pathFilter());

/** @returns the new view */
export async function createView(input: Inputs['view']['create']): Promise<View> {
  const view = await client.view.create.mutate(input);
  await reload();
  return view;
}

/** Changes a view. A message says so, and changes it back. */
export async function changeView(view: View, changes: Pick<Partial<View>, 'name' | 'query' | 'shared'>): Promise<void> {
  const { uniqueId, name, query, shared } = view;
  await client.view.update.mutate({ uniqueId, ...changes });
  await reload();
  say(`The view ${quoted(view)} was changed.`, () => void restore({ uniqueId, name, query, shared }));
}

async function restore(former: Pick<View, 'uniqueId' | 'name' | 'query' | 'shared'>): Promise<void> {
  try {
    await client.view.update.mutate(former);
    say(`The change of the view ${quoted(former)} was undone.`);
  } catch (error) {
    fail({ title: `The change of the view ${quoted(former)} could not be undone`, reasons: [reasonOf(error)] });
  }
  await reload();
}

/** Deletes a view when the message about it goes. Until then it can be undone. */
export function deleteView(view: View): void {
  const { uniqueId } = view;
  delay({
    key: uniqueId,
    text: `The view ${quoted(view)} was deleted.`,
    failure: `The view ${quoted(view)} could not be deleted`,
    send: async () => {
      await client.view.delete.mutate({ uniqueId }, sentOnLeave);
      await reload();
    },
  });
}

const reasonOf = (error: unknown): string => messageText(errorDetails(error).message);
