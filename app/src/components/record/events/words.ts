import type { Inputs, Outputs } from '../../../api/client.ts';
import { valuesOf } from '../../../api/values.ts';
import { fieldLabel } from '../values.ts';

export type AuditEvent = Outputs['audit']['list']['items'][number];
export type ResourceType = NonNullable<Extract<Inputs['audit']['list'], object>['resourceType']>;

// The build writes the types and verbs of the audit log here: app/vite.config.ts.
declare const RESOURCE_VERBS: Readonly<Record<ResourceType, readonly string[]>>;

const TEXTS: Partial<Readonly<Record<ResourceType, string>>> = { apiKey: 'API key', sso: 'single sign-on' };

/** Types that come before the others, or after them. */
const RANKS: Partial<Readonly<Record<ResourceType, number>>> = { task: -2, vendor: -1, sso: 1, company: 2 };
const rankOf = (type: ResourceType): number => RANKS[type] ?? 0;

/** Types of resources as people read them, and the verbs of their actions. */
export const RESOURCES = valuesOf<ResourceType>(RESOURCE_VERBS)
  .toSorted((one, other) => rankOf(one) - rankOf(other))
  .map((type) => ({ type, text: TEXTS[type] ?? type, verbs: RESOURCE_VERBS[type] }));

const PAST: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  rotate: 'rotated',
  revoke: 'revoked',
};

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "API key" */
export const resourceText = (type: ResourceType): string => capitalized(typeText(type));

/** A type as people read it. A newer version of the service may have others, which read as they are. */
export const typeText = (type: string): string => RESOURCES.find((one) => one.type === type)?.text ?? type;

/** The past of the verb of an action: "created". */
const pastOf = (action: string): string => {
  const [, verb = ''] = action.split('.');
  return PAST[verb] ?? verb;
};

/** An action as words: "Created task". */
export function actionText(action: string): string {
  const [type = ''] = action.split('.');
  return `${capitalized(pastOf(action))} ${typeText(type)}`;
}

const listText = new Intl.ListFormat('en');
const MAX_FIELDS = 3;

/** Text of the change between the user and the resource: "changed the due date and status of". */
export function changeText({ action, changes = {} }: AuditEvent): string {
  const fields = Object.keys(changes).map((field) => fieldLabel(field).toLowerCase());
  if (!action.endsWith('.update') || fields.length === 0) return pastOf(action);
  const rest = fields.length - MAX_FIELDS;
  const shown = rest > 1 ? [...fields.slice(0, MAX_FIELDS), `${rest} more fields`] : fields;
  return `changed the ${listText.format(shown)} of`;
}

/** Name of the resource, if the event has it: a created or deleted resource is whole. */
export function resourceName({ action, changes = {} }: AuditEvent): string | undefined {
  if (!/\.(create|delete)$/.test(action)) return undefined;
  return ['title', 'name', 'email', 'url'].map((field) => changes[field]).find((value) => typeof value === 'string');
}
