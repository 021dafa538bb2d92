import { Input, Skeleton, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { SafeHtml } from '../editor/safe-html.tsx';
import { lazyPart } from '../upgrade/lazy-part.tsx';
import { useAutoSave } from '../form/use-auto-save.ts';

const RichText = lazyPart(async () => (await import('../editor/rich-text.tsx')).RichText);

interface DescriptionProps {
  value: string;
  onSave: (value: string) => Promise<unknown>;
  readOnly: boolean;
}

/** The description of a record. It is sent only if a person edited it. */
export function Description({ value: saved, onSave, readOnly }: DescriptionProps) {
  const { value, edit, leave, status, error } = useAutoSave('description', saved, onSave);
  // A value from elsewhere opens a new editor; an edit in the editor does not.
  const [opened, setOpened] = useState({ value, number: 0 });
  if (opened.value !== value) setOpened({ value, number: opened.number + 1 });
  const change = (next: string) => {
    setOpened((latest) => ({ ...latest, value: next }));
    edit(next);
  };
  return (
    <div
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) leave();
      }}
    >
      <Text size="sm" fw={600} mb={4}>
        Description
      </Text>
      {readOnly ? (
        <DescriptionText html={value} />
      ) : (
        <Suspense fallback={<Skeleton h={206} />}>
          <RichText key={opened.number} label="Description" value={value} onChange={change} />
        </Suspense>
      )}
      {error !== undefined && (
        <Input.Error role="alert" mt={4}>
          {error}
        </Input.Error>
      )}
      <Text size="xs" c="dimmed" role="status" mih={17}>
        {status}
      </Text>
    </div>
  );
}

const DescriptionText = ({ html }: { html: string }) =>
  html === '' ? (
    <Text size="sm" c="dimmed">
      No description.
    </Text>
  ) : (
    <SafeHtml html={html} />
  );
