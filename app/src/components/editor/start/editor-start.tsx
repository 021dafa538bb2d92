import { useEffect, useLayoutEffect, useRef } from 'react';
import type { ComponentType } from 'react';
import type { EditorStart, RichTextProps } from '../html-text.tsx';
import { SafeHtml } from '../safe-html.tsx';

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
export function EditorStartBox({ label, html, placeholder, isFocused, load, onLoad }: EditorStartBoxProps) {
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
