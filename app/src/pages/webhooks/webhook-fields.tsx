import { TextInput } from '@mantine/core';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import { EventsField } from './events-field.tsx';

/** Values of the form. Names are those of the API, so that its errors find their fields. */
export interface WebhookValues {
  url: string;
  description: string;
  events: string[] | null;
}

export function WebhookFields({ form }: { form: ServerForm<WebhookValues> }) {
  return (
    <>
      <TextInput
        label="URL"
        type="url"
        inputMode="url"
        placeholder="https://hooks.example.com/compliance"
        data-autofocus
        {...form.text('url')}
      />
      <TextInput label="Description" {...form.text('description')} />
      <EventsField {...form.field('events')} />
    </>
  );
}
