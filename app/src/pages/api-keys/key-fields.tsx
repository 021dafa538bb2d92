import { Checkbox, SimpleGrid, Text, TextInput } from '@mantine/core';
import { FrameworksField, fromFrameworks, toFrameworks } from '../../components/frameworks/frameworks-field.tsx';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import { READ_SCOPES, SCOPES, SCOPE_TEXTS, toScopes } from './key.ts';
import type { ApiKey } from './key.ts';

/** Values of the form. Names are those of the API, so that its errors find their fields. */
interface KeyValues {
  name: string;
  scopes: string[];
  frameworks: string[];
  /** Separated by commas, spaces or lines. */
  cidrs: string;
  /** Day, in the time zone of the browser. */
  expiresAt: string;
}

/** A new key may only read, for a year, unless the person chooses otherwise. */
export const newKeyValues = (): KeyValues => ({
  name: '',
  scopes: READ_SCOPES,
  frameworks: [],
  cidrs: '',
  expiresAt: inOneYear(),
});

function inOneYear(): string {
  const date = new Date();
  date.setFullYear(date.getFullYear() + 1);
  return dayOf(date);
}

export const valuesOf = ({ name, scopes, frameworks, cidrs, expiresAt }: ApiKey): KeyValues => ({
  name,
  scopes,
  frameworks: fromFrameworks(frameworks),
  cidrs: (cidrs ?? []).join(', '),
  expiresAt: expiresAt === null ? '' : dayOf(new Date(expiresAt)),
});

/** Scopes, frameworks, ranges and expiry as the API takes them. */
export function toRestrictions({ scopes, frameworks, cidrs, expiresAt }: KeyValues) {
  const ranges = cidrs.split(/[\s,]+/).filter((range) => range !== '');
  return {
    scopes: toScopes(scopes),
    frameworks: toFrameworks(frameworks),
    cidrs: ranges.length === 0 ? null : ranges,
    expiresAt: expiresAt === '' ? null : new Date(`${expiresAt}T23:59:59`).toISOString(),
  };
}

const dayOf = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

export function KeyFields({ form }: { form: ServerForm<KeyValues> }) {
  return (
    <>
      <TextInput label="Name" data-autofocus {...form.text('name')} />
      <Checkbox.Group label="Scopes" {...form.field('scopes')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8} mt={6}>
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              size="xs"
              value={scope}
              label={
                <>
                  {SCOPE_TEXTS[scope]}{' '}
                  <Text span size="xs" c="dimmed">
                    {scope}
                  </Text>
                </>
              }
            />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <FrameworksField {...form.field('frameworks')} />
      <TextInput
        label="Address ranges"
        description="Leave empty for all addresses"
        placeholder="192.0.2.0/24, 2001:db8::/32"
        {...form.text('cidrs')}
      />
      <TextInput
        type="date"
        label="Expiry"
        description="Last day of validity. Leave empty for none"
        {...form.text('expiresAt')}
      />
    </>
  );
}
