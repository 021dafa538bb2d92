import { ActionIcon } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { Suspense, useState } from 'react';
import { lazyPart } from '../upgrade/lazy-part.tsx';
import type { CommentMenuProps } from './comment-menu.tsx';

const CommentMenu = lazyPart(async () => (await import('./comment-menu.tsx')).CommentMenu);

interface CommentActionsProps extends Omit<CommentMenuProps, 'children'> {
  label: string;
}

/** The button of the menu of a comment. The menu loads at the first click. */
export function CommentActions({ label, ...menu }: CommentActionsProps) {
  const [isLoaded, setIsLoaded] = useState(false);
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      className="screen-only"
      aria-label={label}
      aria-haspopup="menu"
      onClick={() => setIsLoaded(true)}
    >
      <IconDots size={16} aria-hidden />
    </ActionIcon>
  );
  if (!isLoaded) return button;
  return (
    <Suspense fallback={button}>
      <CommentMenu {...menu}>{button}</CommentMenu>
    </Suspense>
  );
}
