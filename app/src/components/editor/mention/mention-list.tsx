import { Plugin, PluginKey } from '@tiptap/pm/state';
import { useEditorState } from '@tiptap/react';
import type { Editor } from '@tiptap/react';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Initials } from '../../person/person.tsx';
import type { MentionProps, Mentionable } from '../html-text.tsx';
import './mention.css';
import { matchesOf, mentionQuery } from './query.ts';

const KEY = new PluginKey('mention');
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** The people whose names match what is typed after an `@`. Arrows and Enter choose one, Escape closes the list. */
export function MentionList({ editor, people, onMention }: MentionProps & { editor: Editor }) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const query = useEditorState({
    editor,
    selector: ({ editor: { state, isFocused } }) => (isFocused ? (mentionQuery(state) ?? null) : null),
  });
  /** Position of an `@` whose list the person closed. */
  const [closedAt, setClosedAt] = useState<number>();
  const [chosen, setChosen] = useState({ text: '', index: 0 });
  const isOpen = query !== null && query.from !== closedAt;
  const matches = isOpen ? matchesOf(people, query.text) : [];
  const active = chosen.text === query?.text ? chosen.index : 0;
  const optionId = (index: number) => `${id}-${index}`;

  const insert = (person: Mentionable | undefined) => {
    if (person === undefined || query === null) return;
    editor.view.dispatch(editor.state.tr.insertText(`@${person.name} `, query.from, query.to));
    setClosedAt(query.from);
    onMention(person);
  };
  const handleKey = ({ key, isComposing, ctrlKey, metaKey }: KeyboardEvent): boolean => {
    if (matches.length === 0 || query === null || isComposing || ctrlKey || metaKey) return false;
    const step = STEPS[key];
    if (step !== undefined) setChosen({ text: query.text, index: (active + step + matches.length) % matches.length });
    else if (key === 'Enter' || key === 'Tab') insert(matches[active]);
    else if (key === 'Escape') setClosedAt(query.from);
    else return false;
    return true;
  };
  const latest = useRef(handleKey);
  useEffect(() => {
    latest.current = handleKey;
  });
  useEffect(() => {
    const plugin = new Plugin({ key: KEY, props: { handleKeyDown: (_view, event) => latest.current(event) } });
    // Before the keys of the editor, for which Enter begins a paragraph.
    editor.registerPlugin(plugin, (added, others) => [added, ...others]);
    return () => {
      if (!editor.isDestroyed) editor.unregisterPlugin(KEY);
    };
  }, [editor]);

  useLayoutEffect(() => {
    const { dom } = editor.view;
    if (matches.length > 0 && query !== null) {
      dom.setAttribute('aria-controls', id);
      dom.setAttribute('aria-activedescendant', `${id}-${active}`);
      place(list.current, editor, query.from);
    } else {
      dom.removeAttribute('aria-controls');
      dom.removeAttribute('aria-activedescendant');
    }
  });

  if (matches.length === 0) return null;
  return (
    <ul ref={list} id={id} className="mention-list" role="listbox" aria-label="Members">
      {matches.map((person, index) => (
        <li
          key={person.uniqueId}
          id={optionId(index)}
          role="option"
          aria-selected={index === active}
          // The text keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => insert(person)}
        >
          <Initials name={person.name} /> <span>{person.name}</span> <span className="quiet">{person.email}</span>
        </li>
      ))}
    </ul>
  );
}

/** Space between a line and the list below it, in pixels. */
const GAP = 4;

/** Puts the list below the `@`, within the width of the editor. */
function place(list: HTMLElement | null, { view }: Editor, position: number): void {
  const frame = list?.offsetParent?.getBoundingClientRect();
  if (list === null || frame === undefined) return;
  const { left, bottom } = view.coordsAtPos(position);
  const maxLeft = Math.max(0, frame.width - list.offsetWidth);
  list.style.left = `${Math.min(left - frame.left, maxLeft)}px`;
  list.style.top = `${bottom - frame.top + GAP}px`;
}
