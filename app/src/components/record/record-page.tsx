import { Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { queryClient } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { EmptyState } from '../empty-state.tsx';
import { ErrorMessage } from '../error-message.tsx';
import { ConfirmDialog } from '../form/confirm-dialog.tsx';
import { Page, usePageTitle } from '../page.tsx';
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
      <RecordFrame type={type} title={statusText(type)} isLoading>
        <Title order={1} className="record-title">
          {statusText(type)}
        </Title>
        <Skeleton h={420} className="record-facts-column" />
        <Stack className="record-text">
          <Skeleton h={76} />
          <Skeleton h={230} />
        </Stack>
      </RecordFrame>
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

interface RecordFrameProps {
  type: RecordType;
  /** Title of the window. */
  title: string;
  isLoading?: boolean;
  /** Above the columns. */
  banner?: ReactNode;
  children: ReactNode;
}

/** A record below the link to its list: the title, then the text on the left and the facts on the right. */
function RecordFrame({ type, title, isLoading = false, banner, children }: RecordFrameProps) {
  usePageTitle(title);
  return (
    <div className="page">
      <div className="record-top">
        <BackToList type={type} />
      </div>
      {banner}
      <div className="record" aria-busy={isLoading}>
        {children}
      </div>
    </div>
  );
}

interface RecordPageProps {
  type: RecordType;
  title: string;
  /** The title, which a person edits. */
  heading: ReactNode;
  /** Fields and facts. */
  panel: ReactNode;
  /** Description and history. */
  children: ReactNode;
  /** Deletes the record; missing if the person may not. */
  onDelete?: (() => Promise<unknown>) | undefined;
}

/** The page of a record in two columns. In a narrow window the facts come before the text. */
export function RecordPage({ type, title, heading, panel, children, onDelete }: RecordPageProps) {
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
    <RecordFrame
      type={type}
      title={title}
      banner={
        asOf !== undefined && <AsOfBanner value={asOf} type={type} onBack={() => setSearch({ asOf: undefined })} />
      }
    >
      {heading}
      <section className="record-facts-column record-panel" aria-label="Properties">
        {panel}
      </section>
      <Stack gap="md" className="record-text">
        {children}
      </Stack>
      <Stack gap="md" className="record-tools">
        <AsOfField value={asOf} onChange={(time) => setSearch({ asOf: time })} />
        {onDelete !== undefined && (
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setIsDeleting(true)}>
            Delete
          </Button>
        )}
      </Stack>
      <ConfirmDialog
        title={`Delete this ${type}?`}
        action="Delete"
        opened={isDeleting}
        onClose={() => setIsDeleting(false)}
        onConfirm={remove}
      >
        “{title}” is removed. Its history stays in the audit log.
      </ConfirmDialog>
    </RecordFrame>
  );
}
