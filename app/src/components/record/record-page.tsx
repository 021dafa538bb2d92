import { Alert, Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { trpc } from '../../api/client.ts';
import { InputError, errorDetails } from '../../api/errors.ts';
import { localMinute, timeText } from '../../dates.ts';
import { EmptyState } from '../empty-state.tsx';
import { ErrorMessage } from '../error-message.tsx';
import { evidenceText, useEvidence } from '../evidence/evidence.ts';
import { FormDialog } from '../form/form-dialog.tsx';
import { useServerForm } from '../form/use-server-form.ts';
import { markSubjectAsRead } from '../inbox/marks.ts';
import { useUnreadCount } from '../inbox/unread.ts';
import { WatchButton } from '../inbox/watch-button.tsx';
import { Page, usePageTitle } from '../page.tsx';
import { statusText } from '../status-dot.tsx';
import { BackLink } from '../table/back-link.tsx';
import { useReturn } from '../table/back-link.tsx';
import { useSearch } from '../table/use-search.ts';
import { idOf } from '../timeline/parent.ts';
import type { Parent } from '../timeline/parent.ts';
import { delay, useHidden } from '../undo/undo.ts';
import './record.css';

interface AsOfProps {
  /** Timestamp of the shown state; undefined for now. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A field for the time whose state is shown. */
function AsOfField({ value, onChange }: AsOfProps) {
  const shown = localMinute(value ?? '');
  const [text, setText] = useState(shown);
  const submit = () => {
    if (text !== shown) onChange(text === '' ? undefined : new Date(text).toISOString());
  };
  return (
    <TextInput
      label="As of"
      description="Shows an earlier state"
      type="datetime-local"
      size="sm"
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={submit}
      onKeyDown={({ key }) => {
        if (key === 'Enter') submit();
      }}
    />
  );
}

/** A line that says that an earlier state is shown. */
function AsOfBanner({ value, type, onBack }: { value: string; type: string; onBack: () => void }) {
  return (
    <Alert variant="outline" mb="md">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          This is the {type} as it was {Number.isNaN(Date.parse(value)) ? 'earlier' : `on ${timeText(value)}`}. It
          cannot be edited.
        </Text>
        <Button variant="default" onClick={onBack}>
          Back to now
        </Button>
      </Group>
    </Alert>
  );
}

interface DeleteButtonProps {
  type: 'task' | 'vendor';
  parent: Parent;
  title: string;
  asksForTitle: boolean;
  onDelete: () => void;
}

/** Maximum number of comments that the dialog counts. */
const MAX_COUNTED = 100;

/** Deletes a task or vendor. If evidence goes too, or if it is closed work of others, a dialog says first what goes. */
function DeleteButton({ type, parent, title, asksForTitle, onDelete }: DeleteButtonProps) {
  const { items = [], hasNextPage } = useEvidence(parent);
  const [isAsking, setIsAsking] = useState(false);
  const form = useServerForm({ title: '' });
  const { data } = useQuery(
    trpc.comment.list.queryOptions({ ...parent, limit: MAX_COUNTED }, { enabled: isAsking, staleTime: 0 }),
  );
  const comments = data?.items.length ?? 0;
  const hasEvidence = items.length > 0;
  return (
    <>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        onClick={hasEvidence || asksForTitle ? () => setIsAsking(true) : onDelete}
      >
        Delete
      </Button>
      <FormDialog
        title={hasEvidence ? `Delete this ${type} and its evidence?` : `Delete this ${type}?`}
        submitLabel={hasEvidence ? `Delete ${type} and evidence` : `Delete ${type}`}
        color="red.9"
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        form={form}
        onSubmit={({ title: typed }) => {
          if (asksForTitle && typed.trim() !== title.trim())
            throw new InputError(`title: enter the title of the ${type}`);
          onDelete();
          return Promise.resolve();
        }}
      >
        <Text size="sm">
          “<bdi>{title}</bdi>” has{' '}
          {hasNextPage ? `more than ${evidenceText(items.length)}` : evidenceText(items.length)}
          {comments > 0 &&
            ` and ${comments}${data?.nextCursor === null ? '' : '+'} ${comments === 1 ? 'comment' : 'comments'}`}
          . Files, links and comments go with the {type}, and cannot be restored. The audit log keeps their names.
        </Text>
        {asksForTitle && (
          <TextInput
            label="Title"
            description={`This is closed work of others. Enter the title of the ${type} to delete it`}
            autoComplete="off"
            data-autofocus
            {...form.text('title')}
          />
        )}
      </FormDialog>
    </>
  );
}

type RecordType = 'task' | 'vendor';
const LISTS = { task: '/tasks', vendor: '/vendors' } as const;

const BackToList = ({ type }: { type: RecordType }) => <BackLink to={LISTS[type]}>Back to the {type}s</BackLink>;

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
  if (errorDetails(error).status === 404) return <RecordMissing type={type} backToNow={backToNow} />;
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

/** The page of a record that does not exist. @param backToNow leaves a time at which it did not exist */
const RecordMissing = ({ type, backToNow = false }: { type: RecordType; backToNow?: ReactNode }) => (
  <Page title={`${statusText(type)} not found`}>
    <EmptyState
      text={
        backToNow === false
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

interface RecordFrameProps {
  type: RecordType;
  /** Title of the window. */
  title: string;
  isLoading?: boolean;
  /** Right of the link to the list. */
  action?: ReactNode;
  /** Above the columns. */
  banner?: ReactNode;
  children: ReactNode;
}

/** A record below the link to its list: the title, then the text on the left and the facts on the right. */
function RecordFrame({ type, title, isLoading = false, action, banner, children }: RecordFrameProps) {
  usePageTitle(title);
  return (
    <div className="page">
      <div className="record-top">
        <BackToList type={type} />
        {action}
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
  /** The record as a parent: it can be watched. */
  parent: Parent;
  title: string;
  /** The title, which a person edits. */
  heading: ReactNode;
  /** The primary button. */
  action?: ReactNode;
  /** Fields and facts. */
  panel: ReactNode;
  /** Description and timeline. */
  children: ReactNode;
  /** Sends the deletion with `sentOnLeave`; missing if the person may not delete. */
  onDelete?: (() => Promise<unknown>) | undefined;
  /** True for closed work of others: the person enters its title before it is deleted. */
  asksForTitle?: boolean;
}

/** The page of a record in two columns. In a narrow window the facts come before the text. */
export function RecordPage(props: RecordPageProps) {
  const { type, parent, title, heading, action, panel, children, onDelete, asksForTitle = false } = props;
  const { goBack } = useReturn(LISTS[type]);
  const [{ asOf }, setSearch] = useSearch(['asOf']);
  const uniqueId = idOf(parent);
  const hasUnread = (useUnreadCount() ?? 0) > 0;
  useEffect(() => {
    // The inbox shows its own errors, and an item that stays unread is no loss.
    if (hasUnread) markSubjectAsRead(uniqueId).catch(() => undefined);
  }, [uniqueId, hasUnread]);
  const isDeleted = useHidden().has(uniqueId);
  const [isLeaving, setIsLeaving] = useState(false);
  const remove = (send: () => Promise<unknown>) => {
    delay({ key: uniqueId, text: `“${title}” was deleted.`, failure: `“${title}” could not be deleted`, send });
    setIsLeaving(true);
    goBack({ ignoreBlocker: true });
  };
  // The keyboard follows what the eye sees. With keys, both keep what was entered when the width changes.
  const isNarrow = useMediaQuery('(max-width: 900px)', undefined, { getInitialValueInEffect: false });
  const facts = (
    <section key="facts" className="record-facts-column record-panel" aria-label="Properties">
      {panel}
    </section>
  );
  const text = (
    <Stack key="text" gap="md" className="record-text">
      {children}
    </Stack>
  );
  if (isDeleted && !isLeaving) return <RecordMissing type={type} />;
  return (
    <RecordFrame
      type={type}
      title={title}
      action={
        asOf === undefined && (
          <Group gap="xs">
            <WatchButton parent={parent} />
            {action}
          </Group>
        )
      }
      banner={
        asOf !== undefined && <AsOfBanner value={asOf} type={type} onBack={() => setSearch({ asOf: undefined })} />
      }
    >
      {heading}
      {isNarrow ? [facts, text] : [text, facts]}
      <Stack gap="md" className="record-tools">
        <AsOfField value={asOf} onChange={(time) => setSearch({ asOf: time })} />
        {onDelete !== undefined && (
          <DeleteButton
            type={type}
            parent={parent}
            title={title}
            asksForTitle={asksForTitle}
            onDelete={() => remove(onDelete)}
          />
        )}
      </Stack>
    </RecordFrame>
  );
}
