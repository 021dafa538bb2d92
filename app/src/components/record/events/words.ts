import type { Inputs, Outputs } from '../../../api/client.ts';
import { fieldLabel } from '../values.ts';

export type AuditEvent = Outputs['audit']['list']['items'][number];
export type ResourceType = NonNullable<Extract<Inputs['audit']['list'], object>['resourceType']>;

/** Types of resources as people read them, and the verbs of their actions. */
export const RESOURCES: Readonly<Record<ResourceType, { text: string; verbs: readonly string[] }>> = {
  task: { text: 'task', verbs: ['create', 'update', 'delete'] },
  vendor: { text: 'vendor', verbs: ['create', 'update', 'delete'] },
  framework: { text: 'framework', verbs: ['create', 'update', 'delete'] },
  department: { text: 'department', verbs: ['create', 'update', 'delete'] },
  gap: { text: 'gap', verbs: ['create', 'update', 'delete'] },
  apiKey: { text: 'API key', verbs: ['create', 'update', 'rotate', 'revoke', 'delete'] },
  member: { text: 'member', verbs: ['create', 'update', 'delete'] },
  invitation: { text: 'invitation', verbs: ['create', 'revoke'] },
  webhook: { text: 'webhook', verbs: ['create', 'update', 'rotate', 'delete'] },
  sso: { text: 'single sign-on', verbs: ['update'] },
  company: { text: 'company', verbs: ['create', 'update', 'delete'] },
};

const PAST: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  rotate: 'rotated',
  revoke: 'revoked',
};

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "API key" */
export const resourceText = (type: ResourceType): string => capitalized(RESOURCES[type].text);

const isResourceType = (type: string): type is ResourceType => Object.hasOwn(RESOURCES, type);

/** A type as people read it. A newer version of the service may have others, which read as they are. */
export const typeText = (type: string): string => (isResourceType(type) ? RESOURCES[type].text : type);

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
