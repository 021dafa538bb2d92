import { Button, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import IconLink from '@tabler/icons-react/dist/esm/icons/IconLink.mjs';
import IconFile from '@tabler/icons-react/dist/esm/icons/IconPaperclip.mjs';
import { useEffect, useRef, useState } from 'react';
import type { ChangeEvent } from 'react';
import { client } from '../../api/client.ts';
import { InputError } from '../../api/errors.ts';
import { localDate } from '../../dates.ts';
import { openDialog } from '../form/dialog.tsx';
import { reloadWatching } from '../inbox/watch-button.tsx';
import type { Parent } from '../timeline/parent.ts';
import { reloadEvidence } from './evidence.ts';
import { sizeText } from './size.ts';
import { upload } from './uploads.ts';

/** Values that a file and a link have. Dates are those of their fields. */
interface ProofValues {
  date: string;
  validUntil: string;
  note: string;
}

interface ProofForm {
  text: (name: keyof ProofValues) => {
    name: string;
    value: string;
    error: string | undefined;
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
  };
}

/** Fields of what a person attaches: the day that it speaks for, its last day, and a note. */
const ProofFields = ({ form }: { form: ProofForm }) => (
  <>
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      <TextInput type="date" label="Date" description="The day that the evidence refers to" {...form.text('date')} />
      <TextInput
        type="date"
        label="Valid until"
        description="Leave empty if it does not expire"
        {...form.text('validUntil')}
      />
    </SimpleGrid>
    <Textarea label="Note" autosize minRows={2} maxRows={8} {...form.text('note')} />
  </>
);

/** Checks the dates before a file is sent. @throws InputError */
function checkDates({ date, validUntil }: ProofValues): void {
  if (date === '') throw new InputError('date: enter the day that the evidence refers to');
  if (validUntil !== '' && validUntil < date)
    throw new InputError('validUntil: enter a day that is not before the date');
}

const MAX_NAME_LENGTH = 255;
/** Characters that a name may not have. */
const FORBIDDEN = /[/\\\p{Cc}]/gu;
/** Name that browsers give to a picture of the clipboard. */
const CLIPBOARD_NAME = /^image\.(\w+)$/;

/** The name of evidence for a file: without forbidden characters, and with its ending if it is too long. */
function evidenceName(fileName: string): string {
  const name = fileName.replaceAll(FORBIDDEN, '_').trim();
  if (name === '') return 'File';
  if (name.length <= MAX_NAME_LENGTH) return name;
  const ending = /\.\w{1,10}$/.exec(name)?.[0] ?? '';
  return name.slice(0, MAX_NAME_LENGTH - ending.length) + ending;
}

/** The name of a pasted file. A picture without a name of its own gets the time: "Screenshot 2026-11-26 14.03.22.png". */
function pastedName(fileName: string, now = new Date()): string {
  const ending = CLIPBOARD_NAME.exec(fileName)?.[1];
  return ending === undefined ? evidenceName(fileName) : `Screenshot ${timeOf(now)}.${ending}`;
}

const MINUTE_MS = 60_000;

/** A time in the time zone of the browser, which a file name can have. */
const timeOf = (time: Date): string =>
  new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS)
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ')
    .replaceAll(':', '.');

/** Asks for the dates of files before they are attached. A single file can get another name. @param isPasted true for files of the clipboard */
function openAttaching(parent: Parent, files: readonly File[], isPasted: boolean): void {
  const nameOf = isPasted ? pastedName : (name: string) => evidenceName(name);
  const single = files.length === 1 ? files[0] : undefined;
  openDialog({
    title: single === undefined ? `Attach ${files.length} files` : 'Attach a file',
    initial: { name: single === undefined ? '' : nameOf(single.name), date: localDate(), validUntil: '', note: '' },
    fields: (form) => (
      <>
        {single === undefined ? (
          <ul className="attached-files">
            {files.map((file, index) => (
              <li key={index}>
                <bdi>{nameOf(file.name)}</bdi> <span className="none">{sizeText(file.size)}</span>
              </li>
            ))}
          </ul>
        ) : (
          <div>
            <TextInput label="Name" data-autofocus {...form.text('name')} />
            <Text size="xs" c="dimmed" mt={4}>
              {sizeText(single.size)}
            </Text>
          </div>
        )}
        <ProofFields form={form} />
      </>
    ),
    button: 'Attach',
    submit: async ({ name, ...fields }) => {
      const empty = files.find(({ size }) => size === 0);
      if (empty !== undefined) throw new InputError(`“${empty.name}” is empty. Choose another file`);
      if (single !== undefined && name.trim() === '') throw new InputError('name: enter a name');
      checkDates(fields);
      upload(
        parent,
        files.map((file) => ({
          file,
          fields: { ...fields, name: evidenceName(single === undefined ? nameOf(file.name) : name) },
        })),
      );
    },
  });
}

interface IncomingOptions {
  /** @param isPasted true for files of the clipboard */
  onFiles: (files: readonly File[], isPasted: boolean) => void;
  onLink: (url: string) => void;
}

const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes('Files') === true;

/** Dropped files without folders, which have no bytes. */
const filesOf = (data: DataTransfer): File[] =>
  [...data.items].flatMap((item) => {
    if (item.kind !== 'file' || item.webkitGetAsEntry()?.isDirectory === true) return [];
    return item.getAsFile() ?? [];
  });

const isLink = (text: string): boolean => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

const hasDialog = (): boolean => document.querySelector('[role=dialog]') !== null;

/**
 * Takes files that a person drops onto the page or pastes, and pasted links. Fields keep their own text.
 * @returns true while files are over the page
 */
function useIncoming(options: IncomingOptions): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    const end = new AbortController();
    const over = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      // Otherwise the browser opens the file in place of the page.
      event.preventDefault();
      setIsOver(!hasDialog());
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      setIsOver(false);
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      if (!hasDialog()) latest.current.onFiles(filesOf(event.dataTransfer), false);
    };
    const paste = (event: ClipboardEvent) => {
      const { clipboardData, target } = event;
      if (clipboardData === null || hasDialog()) return;
      const text = clipboardData.getData('text/plain').trim();
      // A text that was copied with a picture, for example from a table, belongs into the field.
      if (isField(target) && (text !== '' || clipboardData.types.includes('text/html'))) return;
      const files = [...clipboardData.files];
      if (files.length > 0) latest.current.onFiles(files, true);
      else if (!isField(target) && isLink(text)) latest.current.onLink(text);
      else return;
      event.preventDefault();
    };
    document.addEventListener('dragover', over, end);
    document.addEventListener('dragleave', leave, end);
    document.addEventListener('drop', drop, end);
    document.addEventListener('paste', paste, end);
    return () => end.abort();
  }, []);
  return isOver;
}

/** Attaches a link. @param url the one that the person pasted; empty without one */
function openLinking(parent: Parent, url: string): void {
  const isPasted = url !== '';
  openDialog({
    title: 'Add a link',
    initial: { url, name: '', date: localDate(), validUntil: '', note: '' },
    fields: (form) => (
      <>
        <TextInput label="URL" type="url" data-autofocus={!isPasted || undefined} {...form.text('url')} />
        <TextInput label="Name" data-autofocus={isPasted || undefined} {...form.text('name')} />
        <ProofFields form={form} />
      </>
    ),
    button: 'Add',
    submit: async ({ validUntil, ...values }) => {
      checkDates({ validUntil, ...values });
      await client.evidence.link.mutate({ ...parent, ...values, ...(validUntil !== '' && { validUntil }) });
      await Promise.all([reloadEvidence(parent), reloadWatching(parent)]);
    },
  });
}

/** The buttons that attach files and links. Files can be dropped onto the page or pasted too. */
export function AddEvidence({ parent }: { parent: Parent }) {
  const input = useRef<HTMLInputElement>(null);
  const onFiles = (files: readonly File[], isPasted: boolean) => {
    if (files.length > 0) openAttaching(parent, files, isPasted);
  };
  const isOver = useIncoming({ onFiles, onLink: (url) => openLinking(parent, url) });
  return (
    <>
      <div className="evidence-buttons screen-only">
        <Button
          variant="default"
          leftSection={<IconFile size={14} aria-hidden />}
          onClick={() => input.current?.click()}
        >
          Attach file
        </Button>
        <Button
          variant="default"
          leftSection={<IconLink size={14} aria-hidden />}
          onClick={() => openLinking(parent, '')}
        >
          Add link
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={({ currentTarget }) => {
            onFiles([...(currentTarget.files ?? [])], false);
            currentTarget.value = '';
          }}
        />
      </div>
      {isOver && <div className="evidence-over">Drop to attach</div>}
    </>
  );
}
