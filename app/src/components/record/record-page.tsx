import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { queryClient } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { EmptyState } from '../empty-state.tsx';
import { ErrorMessage } from '../error-message.tsx';
import { ConfirmDialog } from '../form/confirm-dialog.tsx';
import { Page } from '../page.tsx';
import { useSearch } from '../table/use-search.ts';
import { statusText } from '../status-dot.tsx';
import { AsOfBanner, AsOfField } from './as-of.tsx';
import './record.css';

type RecordType = 'task' | 'vendor';
const LISTS = { task: '/tasks', vendor: '/vendors' } as const;

const BackToList = ({ type }: { type: RecordType }) => (
  <Link to={LISTS[type]} className="back-link">
    Back to the {type}s
  </Link>
);

/** Options of the query of a record: its state changes only by what a person does. */
export const recordQuery = { gcTime: 0, staleTime: Infinity, refetchOnWindowFocus: false, refetchOnReconnect: false };

interface RecordLoadingProps {
  type: RecordType;
  error: unknown;
  onRetry: () => void;
}

/** The page of a record while it loads, or if it could not be loaded. */
export function RecordLoading({ type, error, onRetry }: RecordLoadingProps) {
  const [{ asOf }, setSearch] = useSearch(['asOf']);
  const backToNow = asOf !== undefined && (
    <Button variant="default" onClick={() => setSearch({ asOf: undefined })}>
      Back to now
    </Button>
  );
  if (error === null)
    return (
      <Page title={statusText(type)}>
        <div className="record" aria-busy>
          <Stack>
            <Skeleton h={58} />
            <Skeleton h={230} />
          </Stack>
          <Skeleton h={420} />
        </div>
      </Page>
    );
  if (errorDetails(error).status === 404)
    return (
      <Page title={`${statusText(type)} not found`}>
        <EmptyState
          text={
            asOf === undefined
              ? `This ${type} does not exist, or it was deleted.`
              : `This ${type} did not exist at this time.`
          }
          action={
            <Group>
              {backToNow}
              <BackToList type={type} />
            </Group>
          }
        />
      </Page>
    );
  return (
    <Page title={statusText(type)}>
      <Stack align="flex-start">
        <ErrorMessage title={`The ${type} could not be loaded`} error={error} onRetry={onRetry} />
        <Group>
          {backToNow}
          <BackToList type={type} />
        </Group>
      </Stack>
    </Page>
  );
}

interface RecordPageProps {
  type: RecordType;
  title: string;
  /** Title, description and history. */
  children: ReactNode;
  /** Fields and facts. */
  panel: ReactNode;
  /** Deletes the record; missing if the person may not. */
  onDelete?: (() => Promise<unknown>) | undefined;
}

/** The page of a record in two columns. */
export function RecordPage({ type, title, children, panel, onDelete }: RecordPageProps) {
  const navigate = useNavigate();
  const [{ asOf }, setSearch] = useSearch(['asOf']);
  const [isDeleting, setIsDeleting] = useState(false);
  const remove = async () => {
    await onDelete?.();
    await navigate({ to: LISTS[type], ignoreBlocker: true });
    // A person who went back meanwhile sees that the record is gone.
    await queryClient.resetQueries({ queryKey: [[type, 'get']] });
  };
  return (
    <Page title={title} action={<BackToList type={type} />}>
      {asOf !== undefined && <AsOfBanner value={asOf} type={type} onBack={() => setSearch({ asOf: undefined })} />}
      <div className="record">
        <Stack gap="md">{children}</Stack>
        <Stack gap="md">
          <section className="record-panel" aria-label="Properties">
            {panel}
          </section>
          <AsOfField value={asOf} onChange={(time) => setSearch({ asOf: time })} />
          {onDelete !== undefined && (
            <Button variant="default" c="var(--mantine-color-error)" onClick={() => setIsDeleting(true)}>
              Delete
            </Button>
          )}
        </Stack>
      </div>
      <ConfirmDialog
        title={`Delete this ${type}?`}
        action="Delete"
        opened={isDeleting}
        onClose={() => setIsDeleting(false)}
        onConfirm={remove}
      >
        “{title}” is removed. Its history stays in the audit log.
      </ConfirmDialog>
    </Page>
  );
}
