import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';

export interface CommentMenuProps {
  /** Missing if the person may not edit the comment. */
  onEdit: (() => void) | undefined;
  onDelete: () => void;
  /** The button that opens it. */
  children: ReactNode;
}

/** The menu of a comment, which is open at first. */
export const CommentMenu = ({ onEdit, onDelete, children }: CommentMenuProps) => (
  <Menu position="bottom-end" withinPortal defaultOpened>
    <Menu.Target>{children}</Menu.Target>
    <Menu.Dropdown>
      {onEdit !== undefined && <Menu.Item onClick={onEdit}>Edit</Menu.Item>}
      <Menu.Item c="var(--mantine-color-error)" onClick={onDelete}>
        Delete
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);
