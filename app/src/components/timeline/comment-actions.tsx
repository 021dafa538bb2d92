import { ActionIcon, Menu } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';

interface CommentActionsProps {
  label: string;
  /** Missing if the person may not edit the comment. */
  onEdit: (() => void) | undefined;
  onDelete: () => void;
}

/** The menu of a comment. */
export const CommentActions = ({ label, onEdit, onDelete }: CommentActionsProps) => (
  <Menu position="bottom-end" withinPortal>
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" className="screen-only" aria-label={label}>
        <IconDots size={16} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {onEdit !== undefined && <Menu.Item onClick={onEdit}>Edit</Menu.Item>}
      <Menu.Item c="var(--mantine-color-error)" onClick={onDelete}>
        Delete
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);
