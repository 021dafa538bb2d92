import type { Mark, MarkType, Node } from '@tiptap/pm/model';
import type { Command, EditorState } from '@tiptap/pm/state';
import { readAttributes, writeAttributes } from './markup.ts';
import { textOf } from './write-document.ts';

/** Tags of a kind of formatting. The first is used for new text. */
export const FORMATS = {
  Bold: ['strong', 'b'],
  Italic: ['em', 'i'],
  Underline: ['u', 'ins'],
  Strikethrough: ['s', 'del'],
  Code: ['code'],
} as const;

function inlineType(state: EditorState): MarkType {
  const type = state.schema.marks['inline'];
  if (type === undefined) throw new Error('schema: expected inline elements');
  return type;
}

const marksWith = (marks: readonly Mark[], tags: readonly string[]) =>
  marks.filter((mark) => tags.includes(textOf(mark, 'tag')));

interface TextRange {
  node: Node;
  from: number;
  to: number;
}

/** Texts of the selection. */
function selectedTexts({ doc, selection: { from, to } }: EditorState): TextRange[] {
  const texts: TextRange[] = [];
  doc.nodesBetween(from, to, (node, position) => {
    if (node.isText) texts.push({ node, from: Math.max(from, position), to: Math.min(to, position + node.nodeSize) });
  });
  return texts.filter((text) => text.from < text.to);
}

const marksAtCursor = ({ storedMarks, selection: { $from } }: EditorState) => storedMarks ?? $from.marks();

/** True if all of the selection has one of the tags. */
export function hasFormat(state: EditorState, tags: readonly string[]): boolean {
  if (state.selection.empty) return marksWith(marksAtCursor(state), tags).length > 0;
  const texts = selectedTexts(state);
  return texts.length > 0 && texts.every(({ node }) => marksWith(node.marks, tags).length > 0);
}

/** Adds or removes a kind of formatting. Other formatting stays as it is. */
export const toggleFormat =
  (tags: readonly string[]): Command =>
  (state, dispatch) => {
    const { tr } = state;
    const isActive = hasFormat(state, tags);
    const mark = inlineType(state).create({ tag: tags[0] });
    if (state.selection.empty) {
      const marks = marksAtCursor(state);
      const removed = marksWith(marks, tags);
      tr.setStoredMarks(isActive ? marks.filter((one) => !removed.includes(one)) : mark.addToSet(marks));
    }
    for (const { node, from, to } of selectedTexts(state)) {
      const found = marksWith(node.marks, tags);
      if (isActive) for (const one of found) tr.removeMark(from, to, one);
      else if (found.length === 0) tr.addMark(from, to, mark);
    }
    dispatch?.(tr);
    return true;
  };

/** The link at the start of the selection. */
function linkAt({ selection: { $from } }: EditorState): Mark | undefined {
  const marks = [...($from.nodeAfter?.marks ?? []), ...$from.marks()];
  return marksWith(marks, ['a'])[0];
}

/** Address of the link at the selection; undefined without one. */
export function linkAddress(state: EditorState): string | undefined {
  const link = linkAt(state);
  return link && new Map(readAttributes(textOf(link, 'attributes'))).get('href');
}

/** Sets the address of the link at the selection, or makes the selection a link. An empty address removes the link. */
export const setLink =
  (address: string): Command =>
  (state, dispatch) => {
    const { tr, selection } = state;
    const link = linkAt(state);
    if (link === undefined) {
      const mark = inlineType(state).create({ tag: 'a', attributes: writeAttributes([['href', address]]) });
      if (selection.empty) tr.insertText(address).addMark(selection.from, selection.from + address.length, mark);
      else tr.addMark(selection.from, selection.to, mark);
      dispatch?.(tr);
      return true;
    }
    const others = readAttributes(textOf(link, 'attributes')).filter(([name]) => name !== 'href');
    const changed = link.type.create({ ...link.attrs, attributes: writeAttributes([['href', address], ...others]) });
    const start = selection.$from.start();
    selection.$from.parent.forEach((child, offset) => {
      if (!link.isInSet(child.marks)) return;
      const marks = child.marks.flatMap((mark) => (mark.eq(link) ? (address === '' ? [] : [changed]) : [mark]));
      tr.replaceWith(start + offset, start + offset + child.nodeSize, child.mark(marks));
    });
    dispatch?.(tr);
    return true;
  };
