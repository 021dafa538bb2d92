import { Button, Checkbox, Menu, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, queryClient, sentOnLeave, trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import type { Search } from '../../api/search.ts';
import { messageText } from '../error-text.ts';
import { FormDialog } from '../form/form-dialog.tsx';
import { useServerForm } from '../form/use-server-form.ts';
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

interface ViewDialogProps {
  title: string;
  initial: ViewValues;
  onClose: () => void;
  onSave: (values: ViewValues) => Promise<unknown>;
}

/** Name of a view, and whether everybody sees it. */
function ViewDialog({ title, initial, onClose, onSave }: ViewDialogProps) {
  const form = useServerForm(initial);
  const { value: isShared, onChange, ...shared } = form.field('shared');
  return (
    <FormDialog title={title} submitLabel="Save" opened onClose={onClose} form={form} onSubmit={onSave}>
      <TextInput label="Name" data-autofocus {...form.text('name')} />
      <Checkbox
        label="Shared"
        description="Everybody in the company sees the view. Its owner and admins change it."
        {...shared}
        checked={isShared}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    </FormDialog>
  );
}

interface ViewActionsProps {
  page: ViewPage;
  /** Parameters of the URL. */
  search: Search;
  /** Columns that are shown, which a view keeps; missing for a page without a choice. */
  columns?: readonly string[] | undefined;
  /** True under a dialog of the page, whose buttons have similar names. */
  isCovered?: boolean;
  /** Shows other parameters. */
  onChange: (search: Search) => void;
}

/** Saves what a list shows as a view, and changes the view that it shows. */
export function ViewActions({ page, search, columns, isCovered = false, onChange }: ViewActionsProps) {
  const { view, isChanged, mayChange } = useCurrentView(page, search);
  const [dialog, setDialog] = useState<'save' | 'edit'>();
  const shown = queryOf({ ...search, ...(columns !== undefined && { columns: columns.join() }) });
  const close = () => setDialog(undefined);
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
      style={{ visibility: isCovered || dialog !== undefined ? 'hidden' : 'visible' }}
    >
      {view !== undefined && mayChange && isChanged && (
        <Button variant="light" loading={update.isPending} onClick={() => update.mutate(view)}>
          Update view
        </Button>
      )}
      {view !== undefined && mayChange && (
        <Menu withInitialFocusPlaceholder={false} position="bottom-end" shadow="md">
          <Menu.Target>
            <Button variant="default">Edit view</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setDialog('edit')}>Rename or share</Menu.Item>
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
      <Button variant="default" onClick={() => setDialog('save')}>
        Save view
      </Button>
      {dialog === 'save' && (
        <ViewDialog
          title="Save view"
          initial={{ name: '', shared: false }}
          onClose={close}
          onSave={async (values) => onChange(searchOf(await createView({ ...values, page, query: shown })))}
        />
      )}
      {dialog === 'edit' && view !== undefined && (
        <ViewDialog
          title={`Edit ${quoted(view)}`}
          initial={view}
          onClose={close}
          onSave={({ name, shared }) => changeView(view, { name, shared })}
        />
      )}
    </div>
  );
}
