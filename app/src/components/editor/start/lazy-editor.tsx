import { useRef, useState } from 'react';
import type { ComponentType } from 'react';
import { loadPart } from '../../upgrade/lazy-part.tsx';
import { EditorStartBox } from './editor-start.tsx';
import type { EditorStart, RichTextProps } from '../html-text.tsx';

const loadEditor = () => loadPart(async () => (await import('../rich-text.tsx')).RichText);

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
