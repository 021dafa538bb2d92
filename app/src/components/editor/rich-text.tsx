import { getSchema } from '@tiptap/core';
import { AllSelection, Selection } from '@tiptap/pm/state';
import { EditorContent, useEditor } from '@tiptap/react';
import type { Editor, JSONContent } from '@tiptap/react';
import { useLayoutEffect, useState } from 'react';
import { pageNonce } from '../../nonce.ts';
import './editor.css';
import { HtmlText } from './html-text.tsx';
import type { EditorStart, RichTextProps } from './html-text.tsx';
import { keys } from './keys.ts';
import { MentionList } from './mention-list.tsx';
import { readDocument } from './read-document.ts';
import { schema } from './schema.ts';
import { Toolbar } from './toolbar.tsx';
import { writeDocument } from './write-document.ts';

const documentSchema = getSchema([schema]);

/** The document of a stored description; undefined if writing it would change it. */
export function losslessDocument(stored: string): JSONContent | undefined {
  const content = readDocument(stored);
  if (content === undefined) return undefined;
  try {
    const document = documentSchema.nodeFromJSON(content);
    document.check();
    return writeDocument(document) === stored ? content : undefined;
  } catch (error) {
    // The schema does not allow the structure.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** An editor of descriptions that changes only what a person edits. Descriptions that it cannot represent are edited as HTML. */
export function RichText(props: RichTextProps) {
  const [content] = useState(() => losslessDocument(props.value));
  return content === undefined ? <HtmlText {...props} /> : <DocumentEditor {...props} content={content} />;
}

/** Continues where a person began: focuses the place, and inserts the text that was typed. */
function continueAt(editor: Editor, { text, isFocused, hasAll, point }: EditorStart): void {
  const { view } = editor;
  if (isFocused) view.focus();
  const { doc } = view.state;
  const position = point && view.posAtCoords(point)?.pos;
  const place = position === undefined ? Selection.atEnd(doc) : Selection.near(doc.resolve(position));
  view.dispatch(view.state.tr.setSelection(hasAll ? new AllSelection(doc) : place));
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) editor.commands.keyboardShortcut('Enter');
    if (line !== '') view.dispatch(view.state.tr.insertText(line));
  }
}

function DocumentEditor({
  label,
  placeholder,
  onChange,
  onLeave,
  takeStart,
  mention,
  content,
}: RichTextProps & { content: JSONContent }) {
  const editor = useEditor({
    extensions: [schema, keys],
    content,
    injectNonce: pageNonce,
    editorProps: {
      attributes: ({ doc }) => ({
        role: 'textbox',
        dir: 'auto',
        'aria-multiline': 'true',
        'aria-label': label,
        class: 'rich-text editor-text',
        ...(writeDocument(doc) === '' && { 'aria-placeholder': placeholder }),
      }),
    },
    onUpdate: ({ editor: { state } }) => onChange(writeDocument(state.doc)),
  });
  // In the commit that removes the text before the editor, so that no key is lost between the two.
  useLayoutEffect(() => {
    const start = takeStart();
    if (start === undefined) return;
    continueAt(editor, start);
    if (!start.isFocused) onLeave();
  }, [editor, onLeave, takeStart]);
  return (
    <div className="editor">
      <Toolbar editor={editor} />
      <EditorContent editor={editor} />
      {mention !== undefined && <MentionList editor={editor} {...mention} />}
    </div>
  );
}
