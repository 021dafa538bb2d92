import { ActionIcon, Group, TextInput, Tooltip, VisuallyHidden } from '@mantine/core';
import IconArchive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import type { Icon } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/form/confirm-dialog.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { invalidateReferences } from './kinds.ts';
import type { Kind, ReferenceRow } from './kinds.ts';

interface RowProps {
  kind: Kind;
  row: ReferenceRow;
}

/** Buttons of a row. Reference data is archived, never deleted. */
export function RowActions({ kind, row }: RowProps) {
  const { id, name, archivedAt } = row;
  const [open, setOpen] = useState<'rename' | 'archive'>();
  const close = () => setOpen(undefined);
  return (
    <Group gap={2} wrap="nowrap" justify="flex-start">
      <RowButton action="Rename" name={name} Icon={IconPencil} onClick={() => setOpen('rename')} />
      {archivedAt === null && (
        <RowButton action="Archive" name={name} Icon={IconArchive} onClick={() => setOpen('archive')} />
      )}
      <RenameDialog kind={kind} row={row} opened={open === 'rename'} onClose={close} />
      <ConfirmDialog
        title={`Archive “${name}”?`}
        action="Archive"
        opened={open === 'archive'}
        onClose={close}
        onConfirm={async () => {
          await kind.archive(id);
          await invalidateReferences();
        }}
      >
        {kind.archiving} This cannot be undone.
      </ConfirmDialog>
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

function RenameDialog({ kind: { one, field, label, rename }, row: { id, name }, opened, onClose }: RenameDialogProps) {
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
