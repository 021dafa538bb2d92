import { Extension } from '@tiptap/core';
import type { Editor } from '@tiptap/core';
import { chainCommands, createParagraphNear, liftEmptyBlock, splitBlockAs } from '@tiptap/pm/commands';
import { history, redo, undo } from '@tiptap/pm/history';
import { liftListItem, sinkListItem, splitListItem } from '@tiptap/pm/schema-list';
import type { Command } from '@tiptap/pm/state';
import { moveToCell, nodeType, textTag } from './blocks.ts';
import { FORMATS, toggleFormat } from './formatting.ts';
import { textOf } from './write-document.ts';

const insertLine: Command = (state, dispatch) => {
  const line = nodeType(state, 'point').create({ tag: 'br' });
  dispatch?.(
    (textTag(state) === 'pre' ? state.tr.insertText('\n') : state.tr.replaceSelectionWith(line)).scrollIntoView(),
  );
  return true;
};

/** Starts a new paragraph. A heading ends with its line. */
const splitText = splitBlockAs((node, isAtEnd) => {
  const isHeading = textOf(node, 'tag').startsWith('h');
  return { type: node.type, attrs: { ...node.attrs, ...(isAtEnd && isHeading && { tag: 'p', attributes: '' }) } };
});

const enter: Command = (state, dispatch, view) =>
  chainCommands(
    (...args) => textTag(state) === 'pre' && insertLine(...args),
    splitListItem(nodeType(state, 'item')),
    createParagraphNear,
    liftEmptyBlock,
    splitText,
  )(state, dispatch, view);

const tab: Command = (state, dispatch, view) =>
  chainCommands(moveToCell(1), sinkListItem(nodeType(state, 'item')))(state, dispatch, view);

const backTab: Command = (state, dispatch, view) =>
  chainCommands(moveToCell(-1), liftListItem(nodeType(state, 'item')))(state, dispatch, view);

/** Moves to the first tool. Tab and its reverse belong to lists and tables. */
const focusToolbar: Command = (_state, _dispatch, view) => {
  const tool = view?.dom.closest('.editor')?.querySelector<HTMLElement>('.editor-toolbar :is(select, button)');
  tool?.focus();
  return tool !== undefined && tool !== null;
};

const COMMANDS: Readonly<Record<string, Command>> = {
  Enter: enter,
  'Shift-Enter': insertLine,
  Tab: tab,
  'Shift-Tab': backTab,
  'Alt-F10': focusToolbar,
  'Mod-b': toggleFormat(FORMATS.Bold),
  'Mod-i': toggleFormat(FORMATS.Italic),
  'Mod-u': toggleFormat(FORMATS.Underline),
  'Mod-e': toggleFormat(FORMATS.Code),
  'Mod-z': undo,
  'Mod-y': redo,
  'Mod-Shift-z': redo,
};

export const runCommand = ({ state, view }: Editor, command: Command): boolean =>
  command(state, (tr) => view.dispatch(tr), view);

/** Keys of the editor, and its undo history. */
export const keys = Extension.create({
  name: 'keys',
  priority: 1000,
  addProseMirrorPlugins: () => [history()],
  addKeyboardShortcuts: () =>
    Object.fromEntries(
      Object.entries(COMMANDS).map(([key, command]) => [
        key,
        ({ editor }: { editor: Editor }) => runCommand(editor, command),
      ]),
    ),
});
