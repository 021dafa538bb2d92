import { getSchema } from '@tiptap/core';
import { EditorContent, useEditor } from '@tiptap/react';
import type { JSONContent } from '@tiptap/react';
import { useState } from 'react';
import { pageNonce } from '../../nonce.ts';
import './editor.css';
import { HtmlText } from './html-text.tsx';
import type { RichTextProps } from './html-text.tsx';
import { keys } from './keys.ts';
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

function DocumentEditor({ label, placeholder, onChange, content }: RichTextProps & { content: JSONContent }) {
  const editor = useEditor({
    extensions: [schema, keys],
    content,
    injectNonce: pageNonce,
    editorProps: {
      attributes: ({ doc }) => ({
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': label,
        class: 'rich-text editor-text',
        ...(writeDocument(doc) === '' && { 'aria-placeholder': placeholder }),
      }),
    },
    onUpdate: ({ editor: { state } }) => onChange(writeDocument(state.doc)),
  });
  return (
    <div className="editor">
      <Toolbar editor={editor} />
      <EditorContent editor={editor} />
    </div>
  );
}
