import { ActionIcon, Group, TextInput, Tooltip, VisuallyHidden } from '@mantine/core';
import IconArchive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import type { Icon } from '@tabler/icons-react';
import { useState } from 'react';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { delay } from '../../components/undo/undo.ts';
import { KINDS, invalidateReferences, rowKey } from './kinds.ts';
import type { KindName, ReferenceRow } from './kinds.ts';

interface RowProps {
  kindName: KindName;
  row: ReferenceRow;
}

/** Buttons of a row. Reference data is archived, never deleted. */
export function RowActions({ kindName, row }: RowProps) {
  const { id, name, archivedAt } = row;
  const [isRenaming, setIsRenaming] = useState(false);
  const { archiving, archive } = KINDS[kindName];
  const startArchiving = () =>
    delay({
      key: rowKey(kindName, row),
      text: `“${name}” was archived. ${archiving}`,
      failure: `“${name}” could not be archived`,
      send: async () => {
        await archive(id);
        await invalidateReferences();
      },
    });
  return (
    <Group gap={2} wrap="nowrap" justify="flex-start">
      <RowButton action="Rename" name={name} Icon={IconPencil} onClick={() => setIsRenaming(true)} />
      {archivedAt === null && <RowButton action="Archive" name={name} Icon={IconArchive} onClick={startArchiving} />}
      <RenameDialog kindName={kindName} row={row} opened={isRenaming} onClose={() => setIsRenaming(false)} />
    </Group>
  );
}

interface RowButtonProps {
  action: string;
  name: string;
  Icon: Icon;
  onClick: () => void;
}

/** A button with an icon. Its name is text and no label: "Rename" would match the label "Name" of a field. */
const RowButton = ({ action, name, Icon: ActionSymbol, onClick }: RowButtonProps) => (
  <Tooltip label={action}>
    <ActionIcon variant="subtle" color="gray" onClick={onClick}>
      <VisuallyHidden>
        {action} {name}
      </VisuallyHidden>
      <ActionSymbol size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
);

interface RenameDialogProps extends RowProps {
  opened: boolean;
  onClose: () => void;
}

interface Values {
  /** Null is the current text. */
  name: string | null;
  title: string | null;
}

const UNCHANGED: Values = { name: null, title: null };

function RenameDialog({ kindName, row: { id, name }, opened, onClose }: RenameDialogProps) {
  const { one, field, label, rename } = KINDS[kindName];
  const form = useServerForm(UNCHANGED);
  const text = form.values[field] ?? name;
  return (
    <FormDialog
      title={`Rename ${one}`}
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async () => {
        await rename(id, text);
        await invalidateReferences();
      }}
    >
      <TextInput
        data-autofocus
        label={label}
        {...form.field(field)}
        value={text}
        onChange={({ currentTarget }) => form.set(field, currentTarget.value)}
      />
    </FormDialog>
  );
}
