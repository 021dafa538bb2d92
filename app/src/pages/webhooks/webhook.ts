import type { Outputs } from '../../api/client.ts';
import { RESOURCES } from '../../components/record/events/words.ts';

export type Webhook = Outputs['webhook']['list']['items'][number];

const toSnakeCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Event types by resource: `task.*` with `task.create`, `task.update` and `task.delete`. */
export const EVENT_GROUPS = RESOURCES.map(({ type, verbs }) => {
  const resource = toSnakeCase(type);
  // A test event has no audit event.
  const ownVerbs = resource === 'webhook' ? [...verbs, 'test'] : verbs;
  return { selector: `${resource}.*`, types: ownVerbs.map((verb) => `${resource}.${toSnakeCase(verb)}`) };
});

/** Types that no selector and not "All events" includes, with what they are. */
export const SINGLE_TYPES = [
  {
    type: 'audit.checkpoint',
    description: 'The signed head of the audit log, after each hour with changes. “All events” does not include it.',
  },
] as const;

export const TEST_TYPE = 'webhook.test';
/** Types of which an example can be sent. */
export const TEST_TYPES: readonly string[] = [
  TEST_TYPE,
  ...EVENT_GROUPS.flatMap(({ types }) => types).filter((type) => type !== TEST_TYPE),
  ...SINGLE_TYPES.map(({ type }) => type),
];

export const eventsText = ({ events }: Webhook): string => events?.join(', ') ?? 'All';

/** Name of an endpoint in texts: its description, else its URL. */
export const webhookName = ({ description, url }: Webhook): string => (description === '' ? url : description);

type DisabledReason = NonNullable<Webhook['disabledReason']>;

/** Every reason for which an endpoint is disabled, in words. `advice` is for an admin. */
export const DISABLED_TEXTS: Readonly<
  Record<DisabledReason, { short: string; title: string; cause: string; advice: string }>
> = {
  manual: {
    short: 'Disabled manually',
    title: 'This endpoint was disabled manually',
    cause: 'An admin or an API key disabled it. The audit log shows which one. Nothing is sent.',
    advice: 'Enable the endpoint when its program is ready, then replay the events that happened in the meantime.',
  },
  gone: {
    short: 'Responded 410 Gone',
    title: 'The program no longer accepts events',
    cause: 'It responded 410 Gone, so the endpoint was disabled at once. Nothing is sent.',
    advice:
      'Delete the endpoint if the program no longer exists. Otherwise correct the URL or the program, enable the endpoint, and replay the events that happened in the meantime.',
  },
  failing: {
    short: '5 days without success',
    title: 'Every delivery failed for 5 days',
    cause: 'The endpoint was disabled after 5 days without a successful delivery. Nothing is sent.',
    advice:
      'Read the errors in the delivery log and correct the program or the URL. Then enable the endpoint, send a test event, and replay the events that happened in the meantime.',
  },
  key: {
    short: 'API key revoked',
    title: 'The API key of this endpoint was revoked',
    cause:
      'An endpoint sends only what its API key can read, so it stopped working with the key. It cannot be enabled again.',
    advice: 'Create another endpoint with the same URL, give its new secret to the program, and delete this one.',
  },
};
