import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import { Section } from '../../components/section/section.tsx';

interface SectionFormProps<Values extends object> {
  title: string;
  /** What the section is for, in a sentence. */
  text: string;
  form: ServerForm<Values>;
  /** Text of the button that submits. */
  submitLabel: string;
  /** True for the main action of the page. */
  isMain?: boolean;
  onSubmit: () => Promise<unknown>;
  /** What was done, beside the button. */
  result: ReactNode;
  /** Fields: `<TextInput label="Name" {...form.text('name')} />`. */
  children: ReactNode;
}

/** A section of the account with a form that changes something at once. */
export function SectionForm<Values extends object>(props: SectionFormProps<Values>) {
  const { title, text, form, submitLabel, isMain = false, onSubmit, result, children } = props;
  return (
    <Section title={title} text={text}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void onSubmit();
        }}
      >
        <Stack gap="md" maw={360}>
          {form.error !== undefined && <ErrorMessage error={form.error} />}
          {children}
          <Group gap="xs">
            <Button type="submit" loading={form.isPending} {...(!isMain && { variant: 'default' })}>
              {submitLabel}
            </Button>
            <Text size="sm" c="dimmed" role="status" style={{ overflowWrap: 'anywhere' }}>
              {result}
            </Text>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
