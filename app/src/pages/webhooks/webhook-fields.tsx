import { ActionIcon, Button, Checkbox, Code, Group, Input, Radio, Stack, Text, TextInput } from '@mantine/core';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { showSecret } from '../../components/form/dialog.tsx';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import './events-field.css';
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
          Every request is signed with this secret. Your program must verify the signature before it uses the body. With
          the TypeScript client:
        </Text>
        {/* Without a scrollbar, which a keyboard could not reach */}
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {'const event = await verifyWebhook(body, request.headers, secret);'}
        </Code>
        <Text size="sm">
          For other languages, use a library from{' '}
          <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
            Standard Webhooks
          </a>
          . Read the{' '}
          <a href="/docs/webhooks" target="_blank">
            guide to webhooks
          </a>
          . The{' '}
          <a href="/docs/reference" target="_blank">
            API reference
          </a>{' '}
          shows the body of each event.
        </Text>
      </>
    ),
  });

/** A header that is being typed. */
export interface HeaderRow {
  name: string;
  value: string;
}

/** Headers as the API takes them. Rows without any text are none. */
export function toHeaders(rows: readonly HeaderRow[]): Record<string, string> {
  const typed = rows.filter(({ name, value }) => name !== '' || value !== '');
  return Object.fromEntries(typed.map(({ name, value }) => [name, value]));
}

interface HeadersFieldProps {
  /** Null keeps the headers of the endpoint. */
  value: readonly HeaderRow[] | null;
  error: string | undefined;
  onChange: (value: HeaderRow[]) => void;
  /** Names of the headers that the endpoint has. */
  current: readonly string[];
}

const EMPTY: HeaderRow = { name: '', value: '' };

/** Headers of each request. The values that an endpoint has are never shown, so that a change needs all of them again. */
function HeadersField({ value, error, onChange, current }: HeadersFieldProps) {
  const rows = value ?? [];
  const change = (index: number, changed: Partial<HeaderRow>) =>
    onChange(rows.map((row, position) => (position === index ? { ...row, ...changed } : row)));
  return (
    <Input.Wrapper label="Headers" labelElement="div" error={error}>
      <Text size="xs" c="dimmed" mb={6}>
        These headers are sent with each request, for example Authorization. Their values are stored encrypted and are
        never shown again.
      </Text>
      {value === null && (
        <Group gap="sm">
          <Text size="sm" className="break">
            {current.join(', ')}
          </Text>
          <Button
            variant="default"
            size="compact-xs"
            onClick={() => onChange(current.map((name) => ({ name, value: '' })))}
          >
            Replace headers
          </Button>
        </Group>
      )}
      {value !== null && (
        <Stack gap={6}>
          {rows.map((row, index) => (
            // A row has no id; rows are only added at the end.
            // oxlint-disable-next-line react/no-array-index-key
            <Group key={index} gap={6} wrap="nowrap">
              <TextInput
                aria-label={`Name of header ${index + 1}`}
                placeholder="Authorization"
                value={row.name}
                onChange={({ currentTarget }) => change(index, { name: currentTarget.value })}
              />
              <TextInput
                aria-label={`Value of header ${index + 1}`}
                flex={1}
                type="password"
                autoComplete="off"
                value={row.value}
                onChange={({ currentTarget }) => change(index, { value: currentTarget.value })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove header ${index + 1}`}
                onClick={() => onChange(rows.filter((_, position) => position !== index))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
          <Button
            variant="default"
            size="compact-xs"
            style={{ alignSelf: 'start' }}
            onClick={() => onChange([...rows, EMPTY])}
          >
            Add header
          </Button>
        </Stack>
      )}
    </Input.Wrapper>
  );
}
