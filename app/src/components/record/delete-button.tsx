import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { queryClient, trpc } from '../../api/client.ts';
import { InputError } from '../../api/errors.ts';
import { ErrorMessage } from '../error-message.tsx';
import { evidenceText, useEvidence } from '../evidence/evidence.ts';
import { openDialog } from '../form/dialog.tsx';
import { statusText } from '../status-dot.tsx';
import type { Parent } from '../timeline/parent.ts';
import { useSession } from '../use-session.ts';

/** The field that names a record. */
const TITLES = { task: 'title', vendor: 'name', requirement: 'title' } as const;

interface DeleteButtonProps {
  type: keyof typeof TITLES;
  parent: Parent;
  title: string;
  isOthersWork: boolean;
  onDelete: () => void;
}

/** Maximum number of comments that the dialog counts. */
const MAX_COUNTED = 100;

/**
 * Deletes a record. If evidence goes too, or the work of others, a dialog says first what goes. It asks for the title if the
 * loss is large: closed work of others, or a vendor or requirement with
 * evidence or comments of others.
 */
export function DeleteButton({ type, parent, title, isOthersWork, onDelete }: DeleteButtonProps) {
  const { items = [], hasNextPage } = useEvidence(parent);
  const { member } = useSession();
  const word = TITLES[type];
  const ask = useMutation({
    mutationFn: async () => {
      const hasEvidence = items.length > 0;
      if (type === 'task' && !hasEvidence && !isOthersWork) return onDelete();
      const options = trpc.comment.list.queryOptions({ ...parent, limit: MAX_COUNTED });
      const { items: comments, nextCursor } = await queryClient.fetchQuery(options);
      const asksForTitle =
        type === 'task' ? isOthersWork : hasEvidence || comments.some(({ createdBy }) => createdBy.uniqueId !== member);
      if (!hasEvidence && !asksForTitle) return onDelete();
      const count = comments.length;
      return openDialog({
        title: hasEvidence ? `Delete this ${type} and its evidence?` : `Delete this ${type}?`,
        text: (
          <>
            “<bdi>{title}</bdi>” has{' '}
            {hasNextPage ? `more than ${evidenceText(items.length)}` : evidenceText(items.length)}
            {count > 0 && ` and ${count}${nextCursor === null ? '' : '+'} ${count === 1 ? 'comment' : 'comments'}`}.
            Files, links and comments are deleted with the {type} and cannot be restored. The audit log keeps their
            names.
          </>
        ),
        initial: { title: '' },
        fields: (form) =>
          asksForTitle ? (
            <TextInput
              label={statusText(word)}
              description={`${isOthersWork ? 'This is closed work of other people. ' : ''}Enter the ${word} of the ${type} to delete it`}
              autoComplete="off"
              data-autofocus
              {...form.text('title')}
            />
          ) : null,
        button: hasEvidence ? `Delete ${type} and evidence` : `Delete ${type}`,
        color: 'red.9',
        submit: async ({ title: typed }) => {
          if (asksForTitle && typed.trim() !== title.trim())
            throw new InputError(`title: enter the ${word} of the ${type}`);
          onDelete();
        },
      });
    },
  });
  return (
    <>
      {ask.error !== null && <ErrorMessage error={ask.error} />}
      <Button variant="default" c="var(--mantine-color-error)" loading={ask.isPending} onClick={() => ask.mutate()}>
        Delete
      </Button>
    </>
  );
}
