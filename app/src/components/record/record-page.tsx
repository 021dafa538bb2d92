import { Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { errorDetails } from '../../api/errors.ts';
import { usePrinting } from '../../print/printing.ts';
import { CopyableId } from '../copyable-id.tsx';
import { EmptyState } from '../empty-state.tsx';
import { ErrorMessage } from '../error-message.tsx';
import { EvidenceSection } from '../evidence/section.tsx';
import { Fold } from '../fold.tsx';
import { markSubjectAsRead } from '../inbox/marks.ts';
import { useUnreadCount } from '../inbox/unread.ts';
import { WatchButton } from '../inbox/watch-button.tsx';
import { Page, usePageTitle } from '../page.tsx';
import { statusText } from '../status-dot.tsx';
import { BackLink } from '../table/back-link.tsx';
import { useReturn } from '../table/back-link.tsx';
import { Neighbours } from '../table/neighbours.tsx';
import { useSearch } from '../table/use-search.ts';
import { Time } from '../time.tsx';
import type { Parent } from '../timeline/parent.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { delay, useHidden } from '../undo/undo.ts';
import { useSession } from '../use-session.ts';
import { AsOfBanner, AsOfField } from './as-of.tsx';
import { DeleteButton } from './delete-button.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { Description, Fact, FieldFacts, Inputs, namesOf, RecordTitle } from './fields.tsx';
import type { Field, Fields, FindField } from './fields.tsx';
import type { Conflict, RecordItem } from './use-record.ts';
import './record.css';
import type { FindName } from './values.ts';

type RecordType = 'task' | 'vendor' | 'requirement';

/** The list that a record belongs to. */
interface RecordList {
  path: string;
  /** "the tasks" */
  name: string;
}

const LISTS: Readonly<Record<RecordType, RecordList>> = {
  task: { path: '/tasks', name: 'the tasks' },
  vendor: { path: '/vendors', name: 'the vendors' },
  // A requirement that is shown names the page of its own framework.
  requirement: { path: '/frameworks', name: 'the frameworks' },
};

/** First part of the path of a record. */
const PATHS: Readonly<Record<RecordType, string>> = { task: 'tasks', vendor: 'vendors', requirement: 'requirements' };

const BackToList = ({ list: { path, name } }: { list: RecordList }) => <BackLink to={path}>Back to {name}</BackLink>;

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
      <RecordFrame list={LISTS[type]} title={statusText(type)} isLoading>
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
          <BackToList list={LISTS[type]} />
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
          <BackToList list={LISTS[type]} />
        </Group>
      }
    />
  </Page>
);

interface RecordFrameProps {
  list: RecordList;
  /** Title of the window. */
  title: string;
  isLoading?: boolean;
  /** Beside the link to the list: its other records. */
  place?: ReactNode;
  /** Right of them. */
  action?: ReactNode;
  /** Above the columns. */
  banner?: ReactNode;
  children: ReactNode;
}

/** A record below the link to its list: the title, then the text on the left and the facts on the right. */
function RecordFrame({ list, title, isLoading = false, place, action, banner, children }: RecordFrameProps) {
  usePageTitle(title);
  return (
    <div className="page">
      <div className="record-top">
        <BackToList list={list} />
        {place}
        {action}
      </div>
      {banner}
      <div className="record" aria-busy={isLoading}>
        {children}
      </div>
    </div>
  );
}

interface RecordData extends RecordItem {
  uniqueId: string;
  version: number;
  createdAt: string;
  createdBy: { name: string };
  /** A requirement has none. */
  externalIds?: readonly { source: string; externalId: string }[];
}

interface RecordPageProps<Values> {
  type: RecordType;
  /** The list that the record is in; by default that of its type. */
  list?: RecordList;
  /** The record as a parent: it can be watched. */
  parent: Parent;
  record: NoInfer<Values> & RecordData;
  /** What the record is called. */
  name: string;
  /** In front of the title: the ref of a requirement. */
  mark?: string;
  title: Field<string>;
  description: Field<string>;
  fields: Fields<Values>;
  /** Those that a narrow window shows above the text. It folds the others. */
  mainFields: readonly (keyof Values & string)[];
  field: FindField<Values>;
  findName: FindName;
  /** Facts that nobody edits. */
  facts: ReactNode;
  readOnly: boolean;
  /** True for closed work, to which comments and evidence can be added, and that nobody changes. */
  isLocked?: boolean;
  /** Above the columns. */
  banner?: ReactNode;
  /** Framework of a task or a requirement. */
  framework?: number;
  /** The primary button. */
  action?: ReactNode;
  /** Below the description. */
  children?: ReactNode;
  /** Below the evidence. A narrow window folds it. */
  more?: ReactNode;
  conflict: Conflict | undefined;
  /** Sends the deletion with `sentOnLeave`; undefined for a person who may not delete. */
  onDelete: (() => Promise<unknown>) | undefined;
  /** True for closed work of others: the person enters its title before it is deleted. */
  isOthersWork?: boolean;
}

/** The page of a record in two columns. A narrow window has its main fields, the text and the comments, and folds the rest. */
export function RecordPage<Values extends object>(props: RecordPageProps<Values>) {
  const {
    type,
    list = LISTS[type],
    parent,
    record,
    name,
    title,
    description,
    fields,
    mainFields,
    field,
    findName,
    facts,
    readOnly,
  } = props;
  const {
    mark,
    isLocked = false,
    banner,
    framework,
    action,
    children,
    more,
    conflict,
    onDelete,
    isOthersWork = false,
  } = props;
  const { canWrite } = useSession();
  const { goBack } = useReturn(list.path);
  const [{ asOf }, setSearch] = useSearch(['asOf']);
  const { uniqueId } = record;
  const hasUnread = (useUnreadCount() ?? 0) > 0;
  useEffect(() => {
    // The inbox shows its own errors, and an item that stays unread is no loss.
    if (hasUnread) markSubjectAsRead(uniqueId).catch(() => undefined);
  }, [uniqueId, hasUnread]);
  const isDeleted = useHidden().has(uniqueId);
  const [isLeaving, setIsLeaving] = useState(false);
  const isPrinting = usePrinting();
  // The keyboard follows what the eye sees. With keys, both keep what was entered when the width changes.
  const isNarrow = useMediaQuery('(max-width: 900px)', undefined, { getInitialValueInEffect: false }) && !isPrinting;
  if (isDeleted && !isLeaving) return <RecordMissing type={type} />;

  const remove = (send: () => Promise<unknown>) => {
    delay({ key: uniqueId, text: `“${name}” was deleted.`, failure: `“${name}” could not be deleted`, send });
    setIsLeaving(true);
    goBack({ ignoreBlocker: true });
  };
  const all = namesOf(fields);
  const others = all.filter((one) => !mainFields.includes(one));
  const panel = (names: typeof all, ending?: ReactNode) => (
    <>
      {!readOnly && <Inputs fields={fields} names={names} field={field} />}
      {(readOnly || isPrinting || ending !== undefined) && (
        <dl className="record-facts">
          {(readOnly || isPrinting) && <FieldFacts fields={fields} names={names} record={record} findName={findName} />}
          {ending}
        </dl>
      )}
      {ending !== undefined && <Ids record={record} />}
    </>
  );
  const { createdAt, createdBy, updatedAt, updatedBy } = record;
  const ending = (
    <>
      {facts}
      <Fact name="Created">
        {createdBy.name}, <Time value={createdAt} withRelative />
      </Fact>
      <Fact name="Updated">
        {updatedBy.name}, <Time value={updatedAt} withRelative />
      </Fact>
    </>
  );
  const main = (
    <section key="facts" className="record-facts-column record-panel" aria-label="Properties">
      {isNarrow ? panel([...mainFields]) : panel(all, ending)}
    </section>
  );
  // Everybody comments, also who changes nothing else.
  const timeline = {
    parent,
    readOnly: asOf !== undefined,
    isLocked,
    findName,
    ...(framework !== undefined && { framework }),
  };
  const text = (
    <Stack key="text" gap="md" className="record-text">
      <Description field={description} readOnly={readOnly} />
      {children}
      <EvidenceSection parent={parent} readOnly={readOnly} mayAdd={canWrite && asOf === undefined} />
      {!isNarrow && more}
      <Timeline {...timeline} show={isNarrow ? 'comments' : 'all'} />
      {isNarrow && (
        <>
          <div>
            <Fold label="More facts">
              <section className="record-panel" aria-label="More facts">
                {panel(others, ending)}
              </section>
              {more}
            </Fold>
          </div>
          <div>
            <Fold label="Timeline">
              <Timeline {...timeline} show="changes" />
            </Fold>
          </div>
        </>
      )}
    </Stack>
  );
  return (
    <RecordFrame
      list={list}
      title={name}
      place={asOf === undefined && <Neighbours uniqueId={uniqueId} pathOf={(other) => `/${PATHS[type]}/${other}`} />}
      action={
        asOf === undefined && (
          <Group gap="xs">
            <WatchButton parent={parent} />
            {action}
          </Group>
        )
      }
      banner={
        asOf === undefined ? (
          banner
        ) : (
          <AsOfBanner value={asOf} type={type} onBack={() => setSearch({ asOf: undefined })} />
        )
      }
    >
      <RecordTitle field={title} readOnly={readOnly} mark={mark} />
      {isNarrow ? [main, text] : [text, main]}
      <Stack gap="md" className="record-tools">
        <AsOfField value={asOf} onChange={(time) => setSearch({ asOf: time })} />
        {!readOnly && onDelete !== undefined && (
          <DeleteButton
            type={type}
            parent={parent}
            title={name}
            isOthersWork={isOthersWork}
            onDelete={() => remove(onDelete)}
          />
        )}
      </Stack>
      <ConflictDialog conflict={conflict} findName={findName} />
    </RecordFrame>
  );
}

/** What the API needs, and people do not. */
const Ids = ({ record: { uniqueId, externalIds = [], version } }: { record: RecordData }) => (
  <div>
    <Fold label="Details for integrators">
      <dl className="record-facts">
        <Fact name="Id">
          <CopyableId value={uniqueId} />
        </Fact>
        {externalIds.map(({ source, externalId }) => (
          <Fact key={source} name={source}>
            <CopyableId value={externalId} label={`Copy id in ${source}`} />
          </Fact>
        ))}
        <Fact name="Version">{version}</Fact>
      </dl>
    </Fold>
  </div>
);
