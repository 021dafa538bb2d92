import { Checkbox, SimpleGrid, TextInput } from '@mantine/core';
import { FrameworksField, fromFrameworks, toFrameworks } from '../../components/frameworks/frameworks-field.tsx';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import { DEFAULT_SCOPES, SCOPES, toScopes } from './key.ts';
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

export const newKeyValues: KeyValues = {
  name: '',
  scopes: DEFAULT_SCOPES,
  frameworks: [],
  cidrs: '',
  expiresAt: '',
};

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
        <SimpleGrid cols={{ base: 2, xs: 3 }} spacing={8} mt={6}>
          {SCOPES.map((scope) => (
            <Checkbox key={scope} size="xs" value={scope} label={scope} />
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
