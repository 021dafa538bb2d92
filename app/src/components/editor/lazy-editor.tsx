import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ComponentType } from 'react';
import { client } from '../../api/client.ts';
import { MissingPart } from '../new-version.tsx';
import type { EditorStart, RichTextProps } from './html-text.tsx';
import { SafeHtml } from './safe-html.tsx';

interface EditorStartBoxProps {
  label: string;
  html: string;
  placeholder: string;
  /** Takes the focus. */
  isFocused: boolean;
  load: () => Promise<ComponentType<RichTextProps>>;
  /** Shows the editor in its place. */
  onLoad: (editor: ComponentType<RichTextProps>, start: EditorStart) => void;
}

/**
 * A text before a person edits it. It loads the editor under the pointer and at the focus, and keeps for it
 * what is typed meanwhile.
 */
function EditorStartBox({ label, html, placeholder, isFocused, load, onLoad }: EditorStartBoxProps) {
  const ref = useRef<HTMLDivElement>(null);
  const start = useRef<EditorStart>({ text: '', isFocused: false, hasAll: false, point: undefined });
  const isComposing = useRef(false);
  useEffect(() => {
    if (isFocused) ref.current?.focus();
  }, [isFocused]);
  useEffect(() => {
    const box = ref.current;
    const keepText = (event: InputEvent) => {
      // An input method writes a word in steps; its end has the whole word.
      isComposing.current = event.inputType === 'insertCompositionText';
      if (isComposing.current) return;
      event.preventDefault();
      if (start.current.text === '') start.current.hasAll = hasAll(box);
      start.current.text +=
        event.inputType === 'insertParagraph' ? '\n' : (event.data ?? event.dataTransfer?.getData('text/plain') ?? '');
    };
    const keepWord = ({ data }: CompositionEvent) => {
      isComposing.current = false;
      start.current.text += data;
    };
    box?.addEventListener('beforeinput', keepText);
    box?.addEventListener('compositionend', keepWord);
    return () => {
      box?.removeEventListener('beforeinput', keepText);
      box?.removeEventListener('compositionend', keepWord);
    };
  }, []);
  // Reads the selection as late as possible: a person may select all after the editor has loaded, before it shows.
  useLayoutEffect(() => {
    const box = ref.current;
    const began = start.current;
    return () => {
      if (began.text === '') began.hasAll = hasAll(box);
    };
  }, []);
  const open = async () => {
    const editor = await load();
    if (isComposing.current)
      await new Promise((resolve) => {
        ref.current?.addEventListener('compositionend', resolve, { once: true });
      });
    onLoad(editor, start.current);
  };
  return (
    <div className="editor">
      <div
        ref={ref}
        className="editor-text"
        role="textbox"
        tabIndex={0}
        aria-multiline
        aria-label={label}
        aria-placeholder={html === '' ? placeholder : undefined}
        contentEditable
        suppressContentEditableWarning
        onPointerEnter={() => void load()}
        onPointerDown={({ clientX, clientY }) => {
          start.current.point = { left: clientX, top: clientY };
        }}
        onFocus={() => {
          start.current.isFocused = true;
          void open();
        }}
        onBlur={() => {
          start.current.isFocused = false;
        }}
      >
        {html !== '' && <SafeHtml html={html} />}
      </div>
    </div>
  );
}

/** True if all text is selected. */
function hasAll(box: HTMLElement | null): boolean {
  const selected = document.getSelection()?.toString() ?? '';
  return selected !== '' && selected === box?.innerText;
}

/** Loads the editor; a notice in its place if that fails. */
async function loadEditor(): Promise<ComponentType<RichTextProps>> {
  try {
    return (await import('./rich-text.tsx')).RichText;
  } catch {
    // The response names the version of the service.
    await client.account.get.query().catch(() => undefined);
    return MissingPart;
  }
}

interface LazyEditorProps extends Omit<RichTextProps, 'takeStart'> {
  /** Moves the focus into the text at the first render, and each time that it changes. */
  focusKey?: number | undefined;
}

/** The editor of a text. It loads at the focus or under the pointer, and keeps what is typed meanwhile. */
export function LazyEditor({ focusKey, ...props }: LazyEditorProps) {
  const { label, placeholder, value, onChange } = props;
  const [Editor, setEditor] = useState<ComponentType<RichTextProps>>();
  const start = useRef<EditorStart>(undefined);
  const focused = useRef(focusKey);
  const takeStart = () => {
    const taken = focused.current === focusKey ? start.current : { ...NO_START, isFocused: true };
    start.current = undefined;
    focused.current = focusKey;
    return taken;
  };
  // A value from elsewhere opens a new editor; an edit in the editor does not.
  const [opened, setOpened] = useState({ value, number: 0 });
  if (opened.value !== value) setOpened({ value, number: opened.number + 1 });
  const change = (next: string) => {
    setOpened((latest) => ({ ...latest, value: next }));
    onChange(next);
  };
  if (Editor === undefined)
    return (
      <EditorStartBox
        label={label}
        placeholder={placeholder}
        html={value}
        isFocused={focusKey !== undefined}
        load={loadEditor}
        onLoad={(loaded, next) => {
          start.current = next;
          setEditor(() => loaded);
        }}
      />
    );
  return <Editor {...props} key={`${opened.number} ${focusKey}`} onChange={change} takeStart={takeStart} />;
}

const NO_START: EditorStart = { text: '', isFocused: false, hasAll: false, point: undefined };
