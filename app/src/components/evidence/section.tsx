import { ActionIcon, Button, Group, Progress, Skeleton, Title, UnstyledButton, VisuallyHidden } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconOpen from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import { useEffect, useRef, useState } from 'react';
import { errorDetails } from '../../api/errors.ts';
import { dateText, timeText } from '../../dates.ts';
import { LOAD_MORE_CLASS, usePrinting } from '../../print/printing.ts';
import { ErrorMessage } from '../error-message.tsx';
import { adviceOf, messageText } from '../error-text.ts';
import type { Parent } from '../timeline/parent.ts';
import { useSearch } from '../table/use-search.ts';
import { useSession } from '../use-session.ts';
import { AddEvidence } from './add-evidence.tsx';
import { CheckButtons, CheckResult } from './check.tsx';
import './evidence.css';
import { Details } from './item/details.tsx';
import { contentPath, hostOf, kindText } from './item/kinds.ts';
import { sizeText } from './size.ts';
import { MAX_EVIDENCE, useEvidence } from './evidence.ts';
import type { Evidence } from './evidence.ts';
import { useAsOf } from '../use-as-of.ts';
import { cancel, tryAgain, useUploads } from './uploads.ts';
import type { Upload } from './uploads.ts';
import { Validity } from './validity.tsx';

interface EvidenceItemProps {
  item: Evidence;
  parent: Parent;
  readOnly: boolean;
  /** True for a person who accepts and rejects evidence. */
  mayCheck: boolean;
  isOpen: boolean;
  onToggle: () => void;
  onDeleted: () => void;
}

/** A piece of evidence in the list. Its name unfolds the preview and the fields. */
function EvidenceItem({ item, mayCheck, isOpen, onToggle, ...rest }: EvidenceItemProps) {
  const { name, note, date, validUntil, createdAt, createdBy } = item;
  return (
    <li>
      <div className="evidence-row">
        <UnstyledButton className="expander" aria-expanded={isOpen} onClick={onToggle}>
          <IconChevron size={14} aria-hidden />
          <bdi>{name}</bdi>
        </UnstyledButton>
        {mayCheck && <CheckButtons item={item} parent={rest.parent} />}
        <SourceLink item={item} />
      </div>
      <div className="evidence-facts">
        <span>
          For <time dateTime={date}>{dateText(date)}</time>
        </span>
        {validUntil !== null && <Validity validUntil={validUntil} />}
        <span>{sourceText(item)}</span>
        <span>
          Added <time dateTime={createdAt}>{timeText(createdAt)}</time> by {createdBy.name}
        </span>
      </div>
      <CheckResult item={item} />
      {note !== '' && !isOpen && <p className="evidence-note">{note}</p>}
      {isOpen && <Details item={item} {...rest} />}
    </li>
  );
}

/** "PDF, 1.2 MB", "Link to wiki.example.com" */
function sourceText({ url, mediaType, size }: Evidence): string {
  if (url !== null) return `Link to ${hostOf(url)}`;
  return [kindText(mediaType ?? ''), sizeText(size ?? 0)].join(', ');
}

/** Downloads a file or opens a link. */
const SourceLink = ({ item }: { item: Evidence }) =>
  item.url === null ? (
    <ActionIcon
      component="a"
      variant="subtle"
      color="gray"
      href={contentPath(item)}
      download
      aria-label={`Download ${item.name}`}
    >
      <IconDownload size={16} aria-hidden />
    </ActionIcon>
  ) : (
    <ActionIcon
      component="a"
      variant="subtle"
      color="gray"
      href={item.url}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={`Open ${item.name} in a new tab`}
    >
      <IconOpen size={16} aria-hidden />
    </ActionIcon>
  );

/** Uploads that run, with progress and speed, and those that failed. */
const UploadList = ({ uploads }: { uploads: readonly Upload[] }) => (
  <ul className="evidence-list screen-only" aria-label="Uploads">
    {uploads.map((upload) => (
      <li key={upload.key}>
        <div className="evidence-row">
          <bdi className="upload-name">{upload.fields.name}</bdi>
          {upload.state === 'failed' && (
            <Button size="compact-sm" variant="default" onClick={() => tryAgain(upload)}>
              Try again<VisuallyHidden> to attach {upload.fields.name}</VisuallyHidden>
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={() => cancel(upload)}>
            {upload.state === 'failed' ? 'Remove' : 'Cancel'}
            <VisuallyHidden> {upload.fields.name}</VisuallyHidden>
          </Button>
        </div>
        {upload.state === 'failed' ? <Failure error={upload.error} /> : <Running upload={upload} />}
      </li>
    ))}
  </ul>
);

function Running({ upload: { fields, file, sent, speed, state } }: { upload: Upload }) {
  return (
    <>
      <Progress
        size="sm"
        mt={6}
        value={Math.min(100, (sent / file.size) * 100)}
        aria-label={`Progress of ${fields.name}`}
      />
      <div className="evidence-facts upload-facts">
        {state === 'waiting' ? 'Waiting for the other uploads' : progressText(file.size, sent, speed)}
      </div>
    </>
  );
}

/** "12 MB of 48 MB, 4.1 MB per second, about 9 seconds left" */
function progressText(size: number, sent: number, speed: number | undefined): string {
  if (sent >= size) return `${sizeText(size)} sent. The server is storing the file`;
  const parts = [`${sizeText(sent)} of ${sizeText(size)}`];
  if (speed !== undefined && speed > 0)
    parts.push(`${sizeText(speed)} per second`, `about ${durationText((size - sent) / speed)} left`);
  return parts.join(', ');
}

const MINUTE = 60;

function durationText(seconds: number): string {
  const [count, unit] =
    seconds < MINUTE ? [Math.max(1, Math.ceil(seconds)), 'second'] : [Math.round(seconds / MINUTE), 'minute'];
  return `${count.toLocaleString('en')} ${count === 1 ? unit : `${unit}s`}`;
}

function Failure({ error }: { error: unknown }) {
  const details = errorDetails(error);
  const advice = adviceOf(details);
  return (
    <p className="upload-error" role="alert">
      Not attached. {messageText(details.message)} {advice}
    </p>
  );
}

/** The uploads to a task or vendor. Screen readers hear of those that have ended. */
function Uploads({ parent }: { parent: Parent }) {
  const uploads = useUploads(parent);
  const before = useRef(uploads);
  const [attached, setAttached] = useState('');
  useEffect(() => {
    const keys = new Set(uploads.map(({ key }) => key));
    const ended = before.current.filter(({ key, isAttached }) => isAttached && !keys.has(key));
    before.current = uploads;
    if (ended.length > 0) setAttached(`Attached ${ended.map(({ fields }) => fields.name).join(', ')}.`);
  }, [uploads]);
  return (
    <>
      <VisuallyHidden role="status">{attached}</VisuallyHidden>
      {uploads.length > 0 && <UploadList uploads={uploads} />}
    </>
  );
}

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}

/** Loads page after page while the page is printed. */
function useLoadAll({ hasNextPage, isFetchingNextPage, fetchNextPage }: Pages, isPrinting: boolean): void {
  useEffect(() => {
    if (isPrinting && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  });
}

/** Pieces of evidence that are shown first. */
const FIRST_SHOWN = 5;

interface EvidenceSectionProps {
  parent: Parent;
  /** True for evidence that the person does not change. */
  readOnly: boolean;
  mayAdd: boolean;
}

/** Files and links that prove a task or the state of a vendor, newest first. */
export function EvidenceSection({ parent, readOnly, mayAdd }: EvidenceSectionProps) {
  const query = useEvidence(parent);
  const { isAdmin, role } = useSession();
  const [{ asOf }] = useSearch(['asOf']);
  const mayCheck = (isAdmin || role === 'auditor') && asOf === undefined;
  const { error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const isShown = useAsOf();
  const items = query.items?.filter(({ createdAt }) => isShown(createdAt));
  const heading = useRef<HTMLHeadingElement>(null);
  const [openId, setOpenId] = useState<string>();
  const [isWhole, setIsWhole] = useState(false);
  const isPrinting = usePrinting();
  useLoadAll(query, isPrinting);
  const shown = isWhole || isPrinting ? items : items?.slice(0, FIRST_SHOWN);
  const isCut = shown !== undefined && items !== undefined && shown.length < items.length;
  const count =
    items === undefined || items.length === 0 ? '' : `${items.length.toLocaleString('en')}${hasNextPage ? '+' : ''}`;
  const isFull = !hasNextPage && items !== undefined && items.length >= MAX_EVIDENCE;
  return (
    <section aria-labelledby="evidence" className="evidence">
      <div className="part-top">
        <Title order={2} id="evidence" ref={heading} tabIndex={-1}>
          Evidence{count !== '' && <span className="quiet-text"> {count}</span>}
        </Title>
        {mayAdd && !isFull && <AddEvidence parent={parent} />}
      </div>
      {mayAdd && <Uploads parent={parent} />}
      {isFull && <p className="quiet-text">There are {MAX_EVIDENCE} pieces of evidence. More cannot be attached.</p>}
      {error !== null && (
        <ErrorMessage title="The evidence could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {items === undefined && error === null && <Skeleton h={40} />}
      {items?.length === 0 && (
        <p className="quiet-text">
          {mayAdd
            ? 'Evidence is files and links that prove what was done. Drop files here, or paste a screenshot.'
            : 'There is no evidence yet.'}
        </p>
      )}
      {shown !== undefined && shown.length > 0 && (
        <ul className="evidence-list">
          {shown.map((item) => (
            <EvidenceItem
              key={item.uniqueId}
              item={item}
              parent={parent}
              readOnly={readOnly}
              mayCheck={mayCheck}
              isOpen={openId === item.uniqueId}
              onToggle={() => setOpenId(openId === item.uniqueId ? undefined : item.uniqueId)}
              onDeleted={() => heading.current?.focus()}
            />
          ))}
        </ul>
      )}
      {isCut && (
        <Button variant="default" onClick={() => setIsWhole(true)}>
          Show all {count}
        </Button>
      )}
      {hasNextPage && !isCut && (
        <Group>
          <Button
            variant="default"
            className={LOAD_MORE_CLASS}
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Load more evidence
          </Button>
        </Group>
      )}
    </section>
  );
}
