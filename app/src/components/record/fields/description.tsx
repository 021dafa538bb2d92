import { Input, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import type { ComponentType } from 'react';
import type { EditorStart, RichTextProps } from '../../editor/html-text.tsx';
import { SafeHtml } from '../../editor/safe-html.tsx';
import { loadPart } from '../../upgrade/lazy-part.tsx';
import type { Field } from '../edits/use-record.ts';
import { DescriptionStart } from './description-start.tsx';
import { FieldFrame } from './field-frame.tsx';

const loadEditor = () => loadPart(async () => (await import('../../editor/rich-text.tsx')).RichText);

interface DescriptionProps {
  field: Field<string>;
  readOnly: boolean;
}

/** The description of a record. It is sent only if a person edited it. */
export const Description = ({ field, readOnly }: DescriptionProps) => (
  <section className="description">
    <Title order={2} className="description-top">
      Description
    </Title>
    {readOnly ? <DescriptionText html={field.value} empty="No description." /> : <DescriptionEditor field={field} />}
  </section>
);

function DescriptionEditor({ field }: { field: Field<string> }) {
  const { value, edit, leave, error } = field;
  const [Editor, setEditor] = useState<ComponentType<RichTextProps>>();
  const start = useRef<EditorStart>(undefined);
  const takeStart = () => {
    const taken = start.current;
    start.current = undefined;
    return taken;
  };
  // A value from elsewhere opens a new editor; an edit in the editor does not.
  const [opened, setOpened] = useState({ value, number: 0 });
  if (opened.value !== value) setOpened({ value, number: opened.number + 1 });
  const change = (next: string) => {
    setOpened((latest) => ({ ...latest, value: next }));
    edit(next);
  };
  return (
    <FieldFrame field={field}>
      <div
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) leave();
        }}
      >
        {Editor === undefined ? (
          <DescriptionStart
            label="Description"
            placeholder={PLACEHOLDER}
            html={value}
            load={loadEditor}
            onLoad={(loaded, next) => {
              start.current = next;
              setEditor(() => loaded);
            }}
          />
        ) : (
          <Editor
            key={opened.number}
            label="Description"
            placeholder={PLACEHOLDER}
            value={value}
            onChange={change}
            onLeave={leave}
            takeStart={takeStart}
          />
        )}
      </div>
      {error !== undefined && (
        <Input.Error role="alert" mt={4}>
          {error}
        </Input.Error>
      )}
    </FieldFrame>
  );
}

const PLACEHOLDER = 'Add a description';

const DescriptionText = ({ html, empty }: { html: string; empty: string }) => (
  <div className="editor-text">{html === '' ? <span className="none">{empty}</span> : <SafeHtml html={html} />}</div>
);
