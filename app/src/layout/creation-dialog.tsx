import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Suspense, lazy } from 'react';
import type { ComponentProps } from 'react';
import { trpc } from '../api/client.ts';

// The code of a dialog is loaded with its first use.
const NewTaskDialog = lazy(async () => ({
  default: (await import('../pages/tasks/new-task-dialog.tsx')).NewTaskDialog,
}));
const NewVendorDialog = lazy(async () => ({ default: (await import('../pages/vendors/page.tsx')).NewVendorDialog }));
const NewProofDialog = lazy(async () => ({
  default: (await import('../pages/audit-log/proofs/page.tsx')).NewProofDialog,
}));
const InviteDialog = lazy(async () => ({ default: (await import('../pages/members/invite-dialog.tsx')).InviteDialog }));

/** What can be created on every page. */
export type Creation = 'task' | 'vendor' | 'invitation' | 'proof';

interface CreationDialogProps {
  creation: Creation;
  onClose: () => void;
}

/** Creates something over the page that is open, and then leads to it. */
export function CreationDialog({ creation, onClose }: CreationDialogProps) {
  const { navigate } = useRouter();
  const open = (href: string) => void navigate({ href });
  return (
    <Suspense>
      {creation === 'task' && <NewTask onClose={onClose} onCreated={(task) => open(`/tasks/${task.uniqueId}`)} />}
      {creation === 'vendor' && (
        <NewVendorDialog opened onClose={onClose} onCreated={({ uniqueId }) => open(`/vendors/${uniqueId}`)} />
      )}
      {creation === 'proof' && (
        <NewProofDialog
          opened
          onClose={onClose}
          onCreated={({ uniqueId }) => open(`/audit-log/proofs?proof=${uniqueId}`)}
        />
      )}
      {creation === 'invitation' && <InviteDialog opened onClose={onClose} />}
    </Suspense>
  );
}

type NewTaskProps = Pick<ComponentProps<typeof NewTaskDialog>, 'onClose' | 'onCreated'>;

/** The dialog for a task of any framework. */
function NewTask(props: NewTaskProps) {
  const { data: frameworks } = useQuery(trpc.framework.list.queryOptions());
  const { data: departments } = useQuery(trpc.department.list.queryOptions());
  if (frameworks === undefined || departments === undefined) return null;
  return <NewTaskDialog {...props} opened frameworks={frameworks} departments={departments} framework={undefined} />;
}
