import { Plugin, PluginKey } from '@tiptap/pm/state';
import type { EditorState } from '@tiptap/pm/state';
import { useEditorState } from '@tiptap/react';
import type { Editor } from '@tiptap/react';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Initials } from '../person/person.tsx';
import type { Mentionable, MentionProps } from './html-text.tsx';
import './editor.css';

/** An `@` with the beginning of a name before the cursor. */
interface MentionQuery {
  /** Lower case. */
  text: string;
  /** Position of the `@`. */
  from: number;
  to: number;
}

/** An `@` after white space or a bracket, and up to two words. */
const PATTERN = /(?:^|[\s(])@([\p{L}\p{N}.'’-]*(?: [\p{L}\p{N}.'’-]*)?)$/u;
/** Character that has the place of a line break. */
const POINT = '\n';

/** The words that the person types after an `@`; undefined elsewhere. */
function mentionQuery({ selection }: EditorState): MentionQuery | undefined {
  const { $from, empty, from } = selection;
  if (!empty || !$from.parent.isTextblock) return undefined;
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, POINT);
  const text = PATTERN.exec(before)?.[1];
  return text === undefined ? undefined : { text: text.toLowerCase(), from: from - text.length - 1, to: from };
}

const MAX_SHOWN = 8;

/** The people whose name, a word of it, or email begins with a text. */
const matchesOf = (people: readonly Mentionable[], text: string): readonly Mentionable[] =>
  people
    .filter(({ name, email }) => {
      const lower = name.toLowerCase();
      return [lower, email.toLowerCase()].some((one) => one.startsWith(text)) || lower.includes(` ${text}`);
    })
    .slice(0, MAX_SHOWN);

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
