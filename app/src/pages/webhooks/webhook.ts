import type { Outputs } from '../../api/client.ts';
import { RESOURCES } from '../../components/record/events/words.ts';

export type Webhook = Outputs['webhook']['list']['items'][number];

const toSnakeCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Event types by resource: `task.*` with `task.create`, `task.update` and `task.delete`. */
export const EVENT_GROUPS = Object.entries(RESOURCES).map(([type, { verbs }]) => {
  const resource = toSnakeCase(type);
  // A test event has no audit event.
  const ownVerbs = resource === 'webhook' ? [...verbs, 'test'] : verbs;
  return { selector: `${resource}.*`, types: ownVerbs.map((verb) => `${resource}.${verb}`) };
});

export const eventsText = ({ events }: Webhook): string => events?.join(', ') ?? 'All';

/** Name of an endpoint in texts: its description, else its URL. */
export const webhookName = ({ description, url }: Webhook): string => (description === '' ? url : description);

export const webhookStatus = ({ enabled }: Webhook) => (enabled ? 'enabled' : 'disabled');
