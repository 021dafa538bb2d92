import { lift, wrapIn } from '@tiptap/pm/commands';
import type { Node, NodeType } from '@tiptap/pm/model';
import { liftListItem, wrapInList } from '@tiptap/pm/schema-list';
import { TextSelection } from '@tiptap/pm/state';
import type { Command, EditorState } from '@tiptap/pm/state';
import { textOf } from './write-document.ts';

export function nodeType({ schema }: EditorState, name: string): NodeType {
  const type = schema.nodes[name];
  if (type === undefined) throw new Error(`schema: expected ${name}`);
  return type;
}

interface Ancestor {
  node: Node;
  /** Position before the node. */
  position: number;
}

/** The nearest block around the selection with this type and, if given, this tag. */
export function ancestor({ selection: { $from } }: EditorState, name: string, tag?: string): Ancestor | undefined {
  for (let depth = $from.depth; depth > 0; depth--) {
    const node = $from.node(depth);
    if (node.type.name === name && (tag === undefined || textOf(node, 'tag') === tag))
      return { node, position: $from.before(depth) };
  }
  return undefined;
}

/** Tag of the text at the selection: `p`, `h1`, … */
export function textTag({ selection: { $from } }: EditorState): string {
  return textOf($from.parent, 'tag') || 'p';
}

/** Makes the selected texts paragraphs, headings or preformatted text. */
export const setTextTag =
  (tag: string): Command =>
  (state, dispatch) => {
    const { tr, selection } = state;
    state.doc.nodesBetween(selection.from, selection.to, (node, position) => {
      if (node.isTextblock) tr.setNodeMarkup(position, nodeType(state, 'paragraph'), { ...node.attrs, tag });
    });
    dispatch?.(tr);
    return true;
  };

/** Makes the selection a list, changes the kind of its list, or ends the list. */
export const toggleList =
  (tag: string): Command =>
  (state, dispatch) => {
    const list = ancestor(state, 'list');
    if (list === undefined) return wrapInList(nodeType(state, 'list'), { tag })(state, dispatch);
    if (textOf(list.node, 'tag') === tag) return liftListItem(nodeType(state, 'item'))(state, dispatch);
    dispatch?.(state.tr.setNodeMarkup(list.position, null, { ...list.node.attrs, tag }));
    return true;
  };

export const toggleQuote: Command = (state, dispatch) =>
  ancestor(state, 'container', 'blockquote') === undefined
    ? wrapIn(nodeType(state, 'container'), { tag: 'blockquote' })(state, dispatch)
    : lift(state, dispatch);

const INITIAL_SIZE = 3;

/** Inserts a table with a row of headings. */
export const insertTable: Command = (state, dispatch) => {
  const cell = (tag: string) => nodeType(state, 'cell').create({ tag }, nodeType(state, 'bare').create());
  const rows = Array.from({ length: INITIAL_SIZE }, (_, index) =>
    nodeType(state, 'row').create(
      { tag: 'tr' },
      Array.from({ length: INITIAL_SIZE }, () => cell(index === 0 ? 'th' : 'td')),
    ),
  );
  const body = nodeType(state, 'section').create({ tag: 'tbody' }, rows);
  const tr = state.tr.replaceSelectionWith(nodeType(state, 'table').create({ tag: 'table' }, body));
  dispatch?.(tr.scrollIntoView());
  return true;
};

/** Inserts a row with empty cells below the row of the selection. */
export const addRow: Command = (state, dispatch) => {
  const row = ancestor(state, 'row');
  if (row === undefined) return false;
  const cells = Array.from({ length: row.node.childCount }, () =>
    nodeType(state, 'cell').create({ tag: 'td' }, nodeType(state, 'bare').create()),
  );
  const position = row.position + row.node.nodeSize;
  const tr = state.tr.insert(
    position,
    nodeType(state, 'row').create({ tag: 'tr', lead: row.node.attrs['lead'] }, cells),
  );
  dispatch?.(tr.setSelection(TextSelection.near(tr.doc.resolve(position + 1))).scrollIntoView());
  return true;
};

/** Removes the block of this type around the selection. */
export const removeBlock =
  (name: string): Command =>
  (state, dispatch) => {
    const found = ancestor(state, name);
    if (found === undefined) return false;
    dispatch?.(state.tr.delete(found.position, found.position + found.node.nodeSize));
    return true;
  };

/** Moves to the next or previous cell. */
export const moveToCell =
  (direction: 1 | -1): Command =>
  (state, dispatch) => {
    const table = ancestor(state, 'table');
    const current = ancestor(state, 'cell');
    if (table === undefined || current === undefined) return false;
    const cells: number[] = [];
    table.node.descendants((node, position) => {
      if (node.type.name === 'cell') cells.push(table.position + 1 + position);
    });
    const target = cells[cells.indexOf(current.position) + direction];
    if (target === undefined) return false;
    dispatch?.(state.tr.setSelection(TextSelection.near(state.doc.resolve(target + 1))).scrollIntoView());
    return true;
  };
