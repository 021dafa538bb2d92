import { Button, Skeleton, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client, fetchContent, trpc } from '../../../api/client.ts';
import type { Outputs } from '../../../api/client.ts';
import { InputError } from '../../../api/errors.ts';
import { CopyButton } from '../../copy-button.tsx';
import { ErrorMessage } from '../../error-message.tsx';
import { askToConfirm } from '../../form/dialog.tsx';
import { ConflictDialog } from '../../record/conflict-dialog.tsx';
import { recordQuery, useRecord } from '../../record/use-record.ts';
import { FieldFrame, inputProps, Inputs } from '../../record/fields.tsx';
import type { Field, Fields } from '../../record/fields.tsx';
import { date } from '../../record/kinds.tsx';
import { Facts } from '../../section/facts.tsx';
import type { Parent } from '../../timeline/parent.ts';
import { sizeText } from '../size.ts';
import { reloadEvidence } from '../evidence.ts';
import type { Evidence } from '../evidence.ts';
import { framedPicture, sizeOf } from './framed-picture.ts';
import { contentPath, PDF, previewType } from './kinds.ts';
import type { PreviewType } from './kinds.ts';
import { NoPreview } from './no-preview.tsx';
import { Pdf } from './pdf.tsx';

/** The SHA-256 of a file, which a person compares with that of a copy. */
const FileHash = ({ sha256 }: { sha256: string }) => (
  <span className="evidence-hash">
    <span className="mono">{sha256}</span>
    <CopyButton value={sha256} label="Copy SHA-256" />
  </span>
);

/** Facts beside those of the list, as text. */
const DetailFacts = ({ item: { note, url, sha256 } }: { item: Evidence }) => (
  <Facts
    facts={[
      ['Note', note === '' ? undefined : <span className="evidence-note">{note}</span>],
      ['Address', url ?? undefined],
      ['SHA-256', sha256 === null ? undefined : <FileHash sha256={sha256} />],
    ]}
  />
);

type TaggedEvidence = Outputs['evidence']['get'];

/** Fields that a person edits. A date is null while its field is empty. */
interface EvidenceValues {
  name: string;
  note: string;
  date: string | null;
  validUntil: string | null;
}

interface DetailFieldsProps {
  loaded: TaggedEvidence;
  parent: Parent;
}

/** The fields of a piece of evidence, which save when they are left. */
function DetailFields({ loaded, parent }: DetailFieldsProps) {
  const { uniqueId: evidence } = loaded;
  const { item, field, conflict } = useRecord<EvidenceValues, TaggedEvidence>(loaded, {
    read: () => client.evidence.get.query({ evidence }),
    update: (changes, ifMatch) => client.evidence.update.mutate({ ...toInput(changes), evidence, ifMatch }),
    onChange: () => void reloadEvidence(parent),
  });
  return (
    <>
      <div className="evidence-fields">
        <Inputs fields={FIELDS} field={field} />
      </div>
      <DetailFacts item={{ ...item, note: '' }} />
      <ConflictDialog conflict={conflict} findName={() => undefined} />
    </>
  );
}

/** Changed fields as the API takes them. @throws InputError for an empty date */
function toInput({ date: entered, ...changes }: Partial<EvidenceValues>) {
  if (entered === null) throw new InputError('date: enter the day that the evidence refers to');
  return { ...changes, ...(entered !== undefined && { date: entered }) };
}

const Hint = ({ text }: { text: string }) => <div className="field-note">{text}</div>;

const FIELDS: Fields<EvidenceValues> = {
  name: { input: (field) => <NameField field={field} /> },
  date: date({ note: <Hint text="The day that the evidence refers to" /> }),
  validUntil: date({ note: <Hint text="Leave empty if it does not expire" /> }),
  note: { input: (field) => <NoteField field={field} /> },
};

const NameField = ({ field }: { field: Field<string> }) => (
  <FieldFrame field={field} className="evidence-wide">
    <TextInput
      {...inputProps(field)}
      label="Name of the evidence"
      value={field.value}
      onChange={({ currentTarget }) => field.edit(currentTarget.value)}
      onBlur={field.leave}
      onKeyDown={({ key, currentTarget, nativeEvent }) => {
        if (key === 'Enter' && !nativeEvent.isComposing) currentTarget.blur();
        if (key === 'Escape') field.restore();
      }}
    />
  </FieldFrame>
);

const NoteField = ({ field }: { field: Field<string> }) => (
  <FieldFrame field={field} className="evidence-wide">
    <Textarea
      {...inputProps(field)}
      label="Note"
      autosize
      minRows={2}
      maxRows={12}
      value={field.value}
      onChange={({ currentTarget }) => field.edit(currentTarget.value)}
      onBlur={field.leave}
      onKeyDown={({ key }) => {
        if (key === 'Escape') field.restore();
      }}
    />
  </FieldFrame>
);

interface PictureProps {
  /** A picture with a type that has no scripts. */
  file: Blob;
  name: string;
}

interface Shown {
  url: string;
  width: number;
  height: number;
}

/** Pixels. Higher pictures are made smaller. */
const MAX_HEIGHT = 480;

/**
 * A picture in a frame of its own. The frame has a `blob:` address and no permission, so that a file can neither run scripts nor
 * reach the page.
 */
function Picture({ file, name }: PictureProps) {
  const [shown, setShown] = useState<Shown | 'damaged'>();
  useEffect(() => {
    let url: string | undefined;
    let isCurrent = true;
    void (async () => {
      const size = await sizeOf(file);
      const frame = await framedPicture(file);
      if (!isCurrent) return;
      url = URL.createObjectURL(frame);
      setShown(size === undefined ? 'damaged' : { url, ...size });
    })();
    return () => {
      isCurrent = false;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [file]);
  if (shown === undefined) return <Skeleton h={240} />;
  if (shown === 'damaged')
    return <p className="quiet-text">The browser cannot read this as a picture. Download it to see it.</p>;
  const { url, width, height } = shown;
  return (
    <iframe
      sandbox=""
      src={url}
      title={`Preview of ${name}`}
      className="evidence-picture screen-only"
      style={{ width: Math.min(width, (width * MAX_HEIGHT) / height), aspectRatio: `${width} / ${height}` }}
    />
  );
}

/** Larger files are only downloaded. */
const MAX_PREVIEW_BYTES = 25_000_000;

/** The preview of a picture or a PDF; for other files a sentence with the way to see them. */
function Preview({ item }: { item: Evidence }) {
  const type = previewType(item);
  if (item.size !== null && item.size > MAX_PREVIEW_BYTES)
    return <NoPreview item={item} text={`Files over ${sizeText(MAX_PREVIEW_BYTES)} have no preview.`} />;
  if (type !== undefined) return <LoadedPreview item={item} type={type} />;
  return item.kind === 'file' ? <NoPreview item={item} text="Files of this kind have no preview." /> : null;
}

/** The bytes as a file with a fixed type, so that a browser never takes them for a page. */
function LoadedPreview({ item, type }: { item: Evidence; type: PreviewType }) {
  const { uniqueId, name } = item;
  const { data, error, refetch } = useQuery({
    queryKey: ['evidence preview', uniqueId],
    queryFn: async () => new Blob([await (await fetchContent(contentPath(item))).arrayBuffer()], { type }),
    ...recordQuery,
  });
  if (error !== null)
    return <ErrorMessage title="The preview could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={240} />;
  return type === PDF ? (
    <Pdf key={uniqueId} file={data} item={item} />
  ) : (
    <Picture key={uniqueId} file={data} name={name} />
  );
}

interface DetailsProps {
  item: Evidence;
  parent: Parent;
  readOnly: boolean;
  onDeleted: () => void;
}

/** A piece of evidence that is unfolded: its preview, and the fields or their values as text. */
export const Details = ({ item, parent, readOnly, onDeleted }: DetailsProps) => (
  <div className="evidence-details">
    <Preview item={item} />
    {readOnly ? <DetailFacts item={item} /> : <LoadedFields item={item} parent={parent} />}
    {!readOnly && <Deletion item={item} parent={parent} onDeleted={onDeleted} />}
  </div>
);

/** The fields begin with the newest state. */
function LoadedFields({ item: { uniqueId: evidence }, parent }: Pick<DetailsProps, 'item' | 'parent'>) {
  const { data, error, refetch } = useQuery({ ...trpc.evidence.get.queryOptions({ evidence }), ...recordQuery });
  if (error !== null)
    return <ErrorMessage title="The evidence could not be loaded" error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton h={120} /> : <DetailFields loaded={data} parent={parent} />;
}

function Deletion({ item, parent, onDeleted }: Omit<DetailsProps, 'readOnly'>) {
  const { uniqueId: evidence, name, kind } = item;
  const ask = () =>
    askToConfirm({
      title: `Delete this ${kind}?`,
      text: (
        <>
          “<bdi>{name}</bdi>” cannot be restored. The audit log keeps its name and dates
          {kind === 'file' ? ', and size and SHA-256 of the file.' : '.'}
        </>
      ),
      button: 'Delete',
      submit: async () => {
        await client.evidence.delete.mutate({ evidence });
        await reloadEvidence(parent);
        onDeleted();
      },
    });
  return (
    <div>
      <Button variant="default" c="var(--mantine-color-error)" onClick={ask}>
        Delete {kind}
      </Button>
    </div>
  );
}
