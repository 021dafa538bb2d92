import { TextInput } from '@mantine/core';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import { EventsField } from './events-field.tsx';
import { HeadersField } from './headers-field.tsx';
import type { HeaderRow } from './headers-field.tsx';

/** Values of the form. Names are those of the API, so that its errors find their fields. */
export interface WebhookValues {
  url: string;
  description: string;
  events: string[] | null;
  /** Null keeps the headers. */
  headers: HeaderRow[] | null;
}

interface WebhookFieldsProps {
  form: ServerForm<WebhookValues>;
  /** Names of the headers that the endpoint has. */
  headerNames?: readonly string[];
}

export function WebhookFields({ form, headerNames = [] }: WebhookFieldsProps) {
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
      <HeadersField {...form.field('headers')} current={headerNames} />
    </>
  );
}
