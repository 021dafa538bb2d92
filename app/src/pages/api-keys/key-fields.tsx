import { Checkbox, SimpleGrid, Text, TextInput } from '@mantine/core';
import type { Inputs, Outputs } from '../../api/client.ts';
import { valuesOf } from '../../api/values.ts';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import { FrameworksField, fromFrameworks, toFrameworks } from '../../components/frameworks/frameworks-field.tsx';

export type ApiKey = Outputs['management']['apiKey']['list'][number];
export type Scope = NonNullable<Inputs['management']['apiKey']['create']['scopes']>[number];

/** What each scope of the API allows. */
const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'task:read': 'Read tasks',
  'task:write': 'Create and change tasks',
  'task:delete': 'Delete tasks',
  'vendor:read': 'Read vendors',
  'vendor:write': 'Create and change vendors',
  'vendor:delete': 'Delete vendors',
  'audit:read': 'Read the audit log',
  'webhook:manage': 'Manage webhooks',
  'member:read': 'Read members',
  'evidence:read': 'Read evidence',
  'evidence:write': 'Attach and change evidence',
  'evidence:delete': 'Delete evidence',
  'requirement:write': 'Create, change and assess requirements',
  'requirement:delete': 'Delete requirements',
};

/** Every scope of the API. */
const SCOPES = valuesOf(SCOPE_TEXTS);

const toScopes = (texts: readonly string[]): Scope[] =>
  texts.flatMap((text) => SCOPES.find((scope) => scope === text) ?? []);

/** Scopes that an admin selects only for a key that needs them. */
const SCOPES_ON_REQUEST: ReadonlySet<Scope> = new Set([
  'webhook:manage',
  'member:read',
  'evidence:read',
  'evidence:write',
  'evidence:delete',
  'requirement:write',
  'requirement:delete',
]);

/** Scopes that the API gives by default. */
const DEFAULT_SCOPES = SCOPES.filter((scope) => !SCOPES_ON_REQUEST.has(scope));

/** Scopes that the form of a new key offers: those that change nothing. */
const READ_SCOPES = DEFAULT_SCOPES.filter((scope) => scope.endsWith(':read'));

type KeyState = 'enabled' | 'disabled' | 'expired' | 'revoked' | 'leaked';

/** State of a key, the most serious first. */
export function keyState({ revokedAt, leakedAt, enabled, expiresAt }: ApiKey): KeyState {
  if (revokedAt !== null) return 'revoked';
  if (leakedAt !== null) return 'leaked';
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return 'expired';
  return enabled ? 'enabled' : 'disabled';
}

/** The scopes of a key, or the few that it lacks. */
export function scopesText({ scopes }: ApiKey): string {
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return 'All';
  const hasDefault = DEFAULT_SCOPES.every((scope) => scopes.includes(scope));
  return hasDefault || missing.length === 1 ? `All except ${missing.join(', ')}` : scopes.join(', ');
}

/** Command that sends the first request with a key. */
export const curlCommand = (key: string): string =>
  `curl -H 'X-API-Key: ${key}' ${window.location.origin}/external/api-key/whoami`;

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

export const keyValuesOf = ({ name, scopes, frameworks, cidrs, expiresAt }: ApiKey): KeyValues => ({
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
        description="The last day on which the key works. Leave empty if it should not expire"
        {...form.text('expiresAt')}
      />
    </>
  );
}
