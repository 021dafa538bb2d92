import { Checkbox, Code, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { showSecret } from '../../components/form/dialog.tsx';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import './events-field.css';
import { HeadersField } from './headers-field.tsx';
import type { HeaderRow } from './headers-field.tsx';
import { EVENT_GROUPS, SINGLE_TYPES } from './webhook.ts';

interface EventsFieldProps {
  name: string;
  /** Event types and selectors such as `task.*`; null for all. */
  value: readonly string[] | null;
  error: string | undefined;
  onChange: (value: string[] | null) => void;
}

/** All events, or a selection of resources and of single types. */
function EventsField({ name, value, error, onChange }: EventsFieldProps) {
  const setChecked = (changed: readonly string[], isChecked: boolean) => {
    const others = (value ?? []).filter((selector) => !changed.includes(selector));
    onChange(isChecked ? [...others, ...changed.slice(0, 1)] : others);
  };
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Events"
        name={name}
        error={error}
        errorProps={{ mt: 6 }}
        value={value === null ? 'all' : 'selected'}
        onChange={(choice) => onChange(choice === 'all' ? null : [])}
      >
        <Group gap="md" mt={6}>
          <Radio size="xs" value="all" label="All events" />
          <Radio size="xs" value="selected" label="Selected events" />
        </Group>
      </Radio.Group>
      {value !== null && (
        <div className="event-groups">
          {EVENT_GROUPS.map(({ selector, types }) => {
            const isWhole = value.includes(selector);
            return (
              <div key={selector}>
                <Checkbox
                  size="xs"
                  label={selector}
                  checked={isWhole}
                  indeterminate={!isWhole && types.some((type) => value.includes(type))}
                  onChange={({ currentTarget }) => setChecked([selector, ...types], currentTarget.checked)}
                />
                <div className="event-types">
                  {types.map((type) => (
                    <Checkbox
                      key={type}
                      size="xs"
                      label={type.split('.')[1]}
                      aria-label={type}
                      checked={isWhole || value.includes(type)}
                      disabled={isWhole}
                      onChange={({ currentTarget }) => setChecked([type], currentTarget.checked)}
                    />
                  ))}
                </div>
              </div>
            );
          })}
          {SINGLE_TYPES.map(({ type, description }) => (
            <div key={type}>
              <Checkbox
                size="xs"
                label={type}
                aria-label={type}
                checked={value.includes(type)}
                onChange={({ currentTarget }) => setChecked([type], currentTarget.checked)}
              />
              <Text size="xs" c="dimmed">
                {description}
              </Text>
            </div>
          ))}
        </div>
      )}
    </Stack>
  );
}

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

/** Shows the secret of an endpoint once, and how a program verifies requests with it. */
export const showWebhookSecret = (title: string, secret: string): void =>
  showSecret({
    title,
    label: 'secret',
    secret,
    text: (
      <>
        <Text size="sm">
          The secret signs every request. Your program must verify the signature before it uses the body, for example
          with the TypeScript client:
        </Text>
        {/* Without a scrollbar, which a keyboard could not reach */}
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {'const event = await verifyWebhook(body, request.headers, secret);'}
        </Code>
        <Text size="sm">
          Other languages use a library of{' '}
          <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
            Standard Webhooks
          </a>
          . The guide is <Code>docs/webhooks.md</Code>; the{' '}
          <a href="/docs" target="_blank">
            API reference
          </a>{' '}
          has the body of each event.
        </Text>
      </>
    ),
  });
