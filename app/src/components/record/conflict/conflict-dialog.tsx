import { Suspense } from 'react';
import { lazyPart } from '../../upgrade/lazy-part.tsx';
import type { Conflict } from '../edits/types.ts';
import type { FindName } from '../values.ts';

const Choices = lazyPart(async () => (await import('./choices.tsx')).Choices);

interface ConflictDialogProps {
  conflict: Conflict | undefined;
  findName: FindName;
}

/** Shows both versions of what two people changed. Closing it keeps the person's text unsaved in its field. */
export const ConflictDialog = ({ conflict, findName }: ConflictDialogProps) => (
  <Suspense>{conflict !== undefined && <Choices conflict={conflict} findName={findName} />}</Suspense>
);
