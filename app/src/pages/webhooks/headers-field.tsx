import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';

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
export function HeadersField({ value, error, onChange, current }: HeadersFieldProps) {
  const rows = value ?? [];
  const change = (index: number, changed: Partial<HeaderRow>) =>
    onChange(rows.map((row, position) => (position === index ? { ...row, ...changed } : row)));
  return (
    <Input.Wrapper label="Headers" labelElement="div" error={error}>
      <Text size="xs" c="dimmed" mb={6}>
        Sent with each request, for example Authorization. Values are stored encrypted and never shown again.
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
