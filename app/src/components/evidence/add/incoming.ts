import { useEffect, useRef, useState } from 'react';

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
export function useIncoming(options: IncomingOptions): boolean {
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
