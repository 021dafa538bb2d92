import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Search } from '../../api/search.ts';
import { errorDetails } from '../../api/errors.ts';
import { messageText } from '../error-text.ts';
import { fail } from '../undo/undo.ts';
import { changeView, createView, deleteView } from './changes.ts';
import { useCurrentView } from './use-views.ts';
import { queryOf, quoted, searchOf } from './view.ts';
import type { View, ViewPage } from './view.ts';
import { ViewDialog } from './view-dialog.tsx';

interface ViewActionsProps {
  page: ViewPage;
  /** Parameters of the URL. */
  search: Search;
  /** Columns that are shown, which a view keeps; missing for a page without a choice. */
  columns?: readonly string[];
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
