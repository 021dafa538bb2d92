import { Input, Title } from '@mantine/core';
import { LazyEditor } from '../../editor/lazy-editor.tsx';
import { SafeHtml } from '../../editor/safe-html.tsx';
import type { Field } from '../use-record.ts';
import { FieldFrame } from './field-frame.tsx';

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

const DescriptionEditor = ({ field }: { field: Field<string> }) => (
  <FieldFrame field={field}>
    <div
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) field.leave();
      }}
    >
      <LazyEditor
        label="Description"
        placeholder="Add a description"
        value={field.value}
        onChange={field.edit}
        onLeave={field.leave}
      />
    </div>
    {field.error !== undefined && (
      <Input.Error role="alert" mt={4}>
        {field.error}
      </Input.Error>
    )}
  </FieldFrame>
);

const DescriptionText = ({ html, empty }: { html: string; empty: string }) => (
  <div className="editor-text">{html === '' ? <span className="none">{empty}</span> : <SafeHtml html={html} />}</div>
);
