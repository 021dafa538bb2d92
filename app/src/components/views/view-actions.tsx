import { Button, Checkbox, Menu, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import type { Search } from '../../api/search.ts';
import { messageText } from '../error-text.ts';
import { openDialog, useHasDialog } from '../form/dialog.tsx';
import { delay, fail, say } from '../undo/undo.ts';
import { useCurrentView } from './use-views.ts';
import { queryOf, quoted, searchOf } from './view.ts';
import type { View, ViewPage } from './view.ts';

const reload = () => queryClient.invalidateQueries(trpc.view.pathFilter());

/** @returns the new view */
async function createView(input: Inputs['view']['create']): Promise<View> {
  const view = await client.view.create.mutate(input);
  await reload();
  return view;
}

/** Changes a view. A message says so, and changes it back. */
async function changeView(view: View, changes: Pick<Partial<View>, 'name' | 'query' | 'shared'>): Promise<void> {
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
function deleteView(view: View): void {
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

interface ViewValues {
  name: string;
  shared: boolean;
}

/** Asks for the name of a view, and whether everybody sees it. */
const openView = (title: string, initial: ViewValues, submit: (values: ViewValues) => Promise<unknown>) =>
  openDialog({
    title,
    initial,
    fields: (form) => (
      <>
        <TextInput label="Name" data-autofocus {...form.text('name')} />
        <Checkbox
          label="Shared"
          description="Everybody in the company can see the view. Only its owner and admins can change it."
          checked={form.values.shared}
          onChange={({ currentTarget }) => form.set('shared', currentTarget.checked)}
        />
      </>
    ),
    button: 'Save',
    submit,
  });

interface ViewActionsProps {
  page: ViewPage;
  /** Parameters of the URL. */
  search: Search;
  /** Columns that are shown, which a view keeps; missing for a page without a choice. */
  columns?: readonly string[] | undefined;
  /** Shows other parameters. */
  onChange: (search: Search) => void;
}

/** Saves what a list shows as a view, and changes the view that it shows. */
export function ViewActions({ page, search, columns, onChange }: ViewActionsProps) {
  const { view, isChanged, mayChange } = useCurrentView(page, search);
  const isCovered = useHasDialog();
  const shown = queryOf({ ...search, ...(columns !== undefined && { columns: columns.join() }) });
  const update = useMutation({
    mutationFn: async (changed: View) => {
      await changeView(changed, { query: shown });
      onChange(searchOf({ ...changed, query: shown }));
    },
    onError: (error, changed) =>
      fail({
        title: `The view ${quoted(changed)} could not be updated`,
        reasons: [messageText(errorDetails(error).message)],
      }),
  });
  return (
    <div
      className="page-actions screen-only"
      // A dialog has buttons with similar names.
      style={{ visibility: isCovered ? 'hidden' : 'visible' }}
    >
      {view !== undefined && mayChange && isChanged && (
        <Button variant="light" loading={update.isPending} onClick={() => update.mutate(view)}>
          Update view
        </Button>
      )}
      {view !== undefined && mayChange && (
        <Menu position="bottom-end" shadow="md">
          <Menu.Target>
            <Button variant="default">Edit view</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              onClick={() =>
                openView(`Edit ${quoted(view)}`, { name: view.name, shared: view.shared }, (values) =>
                  changeView(view, values),
                )
              }
            >
              Rename or share
            </Menu.Item>
            <Menu.Item
              c="var(--app-overdue)"
              onClick={() => {
                deleteView(view);
                onChange({ ...search, saved: undefined });
              }}
            >
              Delete view
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <Button
        variant="default"
        onClick={() =>
          openView('Save view', { name: '', shared: false }, async (values) =>
            onChange(searchOf(await createView({ ...values, page, query: shown }))),
          )
        }
      >
        Save view
      </Button>
    </div>
  );
}
