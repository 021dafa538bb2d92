import { z } from 'zod';
import {
  EXAMPLE_IDS,
  booleanInput,
  changeMetadataOutput,
  expected,
  integerInput,
  integerOutput,
  maxLength,
  minLength,
  textInput,
  textOutput,
  timestampInput,
  timestampOutput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { httpUrlInput } from '../../entities/fields/text.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { MAX_ERROR_LENGTH, MAX_TYPE_LENGTH, TEST_TYPE } from '../../entities/webhook/delivery.ts';
import { WEBHOOK_SECRET_PREFIX } from '../../entities/webhook/secret.ts';
import { EVENT_SELECTORS, EVENT_TYPES, EVENT_TYPE_PATTERN } from '../../entities/webhook/event-type.ts';
import {
  DISABLED_REASONS,
  MAX_URL_LENGTH,
  MAX_WEBHOOK_DESCRIPTION_LENGTH,
  MAX_WEBHOOK_HEADERS,
} from '../../entities/webhook/webhook.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import { meantBy, unknownFields } from '../schemas/unknown-fields.ts';
import { EXAMPLE_HEADER_NAMES, headerNameBounds, headersInput } from './headers.ts';

/** The URL of a server that receives requests. `Services.requirePublicUrl` checks its scheme and its addresses. */
export const urlInput = httpUrlInput(MAX_URL_LENGTH).meta({
  description: 'https URL without user info, at public addresses only',
  examples: ['https://hooks.example.com/compliance'],
});

const MAX_OVERLAP_SECONDS = 86_400;
const EXPECTED_SEQUENCE = 'an integer from 1';
const int64 = { format: 'int64', maximum: Number.MAX_SAFE_INTEGER };

const isSelector = (text: string) => EVENT_SELECTORS.includes(text);

const partsOf = (type: string) => type.split('.', 2);

/** The selector that an unknown one probably means. */
function meantSelector(text: string): string | undefined {
  const [resource = '', verb = ''] = partsOf(text);
  const meant = meantBy(
    resource,
    EVENT_SELECTORS.map((type) => partsOf(type)[0] ?? ''),
  );
  const verbs = EVENT_SELECTORS.map(partsOf).filter(([type]) => type === meant);
  const meantVerb = meantBy(
    verb,
    verbs.map(([, name = '']) => name),
  );
  return meantVerb === undefined ? undefined : `${meant}.${meantVerb}`;
}

/** Error for an unknown event type, with the one that was probably meant. */
function unknownType(input: unknown): string {
  const meant = typeof input === 'string' ? meantSelector(input) : undefined;
  const unknown = `${JSON.stringify(input).slice(0, MAX_TYPE_LENGTH)} is unknown`;
  return meant === undefined ? unknown : `${unknown}; did you mean ${meant}?`;
}

/** Documented bounds of a value of `events`. */
const selectorBounds = { maxLength: MAX_TYPE_LENGTH, pattern: '^[a-z_]+\\.(?:[a-z_]+|\\*)$' };

const EXAMPLE_EVENTS = ['task.*', 'vendor.update'];
const EXAMPLE_DESCRIPTION = 'Ticket sync';

const eventsInput = z
  .array(
    z
      .string(expected('an event type'))
      .check(
        z.refine(isSelector, {
          error: ({ input }) => `expected an event type such as task.create, or task.*; ${unknownType(input)}`,
        }),
      )
      .meta(selectorBounds),
    expected('an array of event types, or null for all'),
  )
  .check(minLength(1, 'expected at least one event type, or null for all'))
  .check(maxLength(EVENT_SELECTORS.length, `expected at most ${EVENT_SELECTORS.length} event types`))
  .overwrite((events) => EVENT_SELECTORS.filter((selector) => events.includes(selector)))
  .nullable()
  .meta({
    description:
      'Event types that are sent; null for all but `audit.checkpoint`. `task.*` selects every type of a task.',
    examples: [EXAMPLE_EVENTS],
  });

const fields = {
  url: urlInput,
  events: eventsInput,
  description: textInput(
    `text of at most ${MAX_WEBHOOK_DESCRIPTION_LENGTH} characters`,
    MAX_WEBHOOK_DESCRIPTION_LENGTH,
  ).meta({ description: 'Text for people', examples: [EXAMPLE_DESCRIPTION] }),
  headers: headersInput,
  enabled: booleanInput.meta({
    description: 'False disables the endpoint. Events from while it was disabled are sent only by a replay.',
  }),
};

const shown = () => ({ shown: WebhookOutput.shape });

export const NewWebhook = z.strictObject(
  {
    url: fields.url,
    events: fields.events.optional(),
    description: fields.description.optional(),
    headers: fields.headers.optional(),
  },
  unknownFields(() => ({ ...shown(), elsewhere: { enabled: 'a new endpoint is enabled; PATCH …/edit sets it' } })),
);

export const WebhookId = z.strictObject({ webhook: uniqueIdInput('The endpoint’s uniqueId', EXAMPLE_IDS.webhook) });

export const WebhookChanges = z.strictObject(
  { ...WebhookId.shape, ...z.object(fields).partial().shape },
  unknownFields(shown),
);

export const WebhookQuery = z.strictObject(pagination);
export const DeliveryQuery = WebhookId.extend(pagination);

export const WebhookTest = WebhookId.extend({
  type: z
    .enum(EVENT_TYPES, {
      error: ({ input }) => `expected an event type such as task.create; ${unknownType(input)}`,
    })
    .default(TEST_TYPE)
    .meta({
      description: 'Type whose example is sent: that of the `webhooks` of the API document, without a sequence',
      examples: ['task.update'],
    }),
});

export const WebhookRotation = WebhookId.extend({
  overlapSeconds: integerInput(0, MAX_OVERLAP_SECONDS)
    .default(0)
    .meta({ description: 'Seconds for which both secrets sign', format: 'int32' }),
});

export const WebhookReplay = WebhookId.extend({
  sequence: z
    .int(expected(EXPECTED_SEQUENCE))
    .min(1, expected(EXPECTED_SEQUENCE))
    .meta({ description: '`sequence` of one event', ...int64, examples: [42] })
    .optional(),
  since: timestampInput
    .meta({ description: 'Delivers every selected event from this time on', examples: ['2026-11-21T09:30:00Z'] })
    .optional(),
});

export const WebhookOutput = z
  .object({
    uniqueId: uniqueIdOutput.meta({ examples: [EXAMPLE_IDS.webhook] }),
    url: textOutput(MAX_URL_LENGTH, 'https://hooks.example.com/compliance', 'URL that receives the requests'),
    events: z
      .array(textOutput(MAX_TYPE_LENGTH, 'task.*').meta(selectorBounds))
      .meta({ maxItems: EVENT_SELECTORS.length })
      .nullable()
      .meta({
        description: 'Event types that are sent; null for all but `audit.checkpoint`',
        examples: [EXAMPLE_EVENTS],
      }),
    description: textOutput(MAX_WEBHOOK_DESCRIPTION_LENGTH, EXAMPLE_DESCRIPTION, 'Text for people, which may be empty'),
    headers: z.array(z.string().meta(headerNameBounds)).meta({
      maxItems: MAX_WEBHOOK_HEADERS,
      description: 'Names; no response has the values',
      examples: [EXAMPLE_HEADER_NAMES],
    }),
    enabled: z.boolean().meta({ description: 'False while nothing is sent; `disabledReason` says why' }),
    disabledReason: z
      .enum(DISABLED_REASONS)
      .nullable()
      .meta({
        description:
          'Null while enabled. `manual`: by a request; `gone`: by a response 410; `failing`: after 5 days without a success; ' +
          '`key`: the API key that created it is revoked, so that it cannot be enabled',
        examples: [null],
      }),
    createdAt: changeMetadataOutput.createdAt,
    updatedAt: changeMetadataOutput.updatedAt,
  })
  .meta({ id: 'Webhook', description: 'An endpoint that receives events' });

const secretOutput = textOutput(
  100,
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwTzQmuzKJK8s=',
  'Signs the requests. No later response contains it; neither does a replay by `Idempotency-Key`.',
).meta({ pattern: `^${WEBHOOK_SECRET_PREFIX}[A-Za-z0-9+/]+=*$` });

/** Response of the creation. */
export const WebhookSecretOutput = WebhookOutput.extend({ secret: secretOutput }).meta({
  id: 'WebhookWithSecret',
  description: 'A new endpoint, with the secret that signs its requests',
});

/** Response of the rotation. */
export const SecretOutput = z.object({ secret: secretOutput }).meta({
  id: 'WebhookSecret',
  description: 'The new secret of an endpoint',
});

export const WebhookPage = pageOutput(WebhookOutput).meta({ id: 'Webhooks', description: 'A page of endpoints' });

const DeliveryOutput = z
  .object({
    uniqueId: uniqueIdOutput.meta({
      description: 'Id of the delivery, which a replay keeps',
      examples: [EXAMPLE_IDS.delivery],
    }),
    sequence: z
      .int()
      .meta({ minimum: 1, ...int64 })
      .nullable()
      .meta({
        description: 'Number of the event in the change feed; null for `webhook.test` and `audit.checkpoint`',
        examples: [42],
      }),
    type: textOutput(MAX_TYPE_LENGTH, 'task.create', 'Event type').meta({ pattern: EVENT_TYPE_PATTERN }),
    attempts: integerOutput(0, MAX_ID, 'Attempts since the creation or the last replay').meta({ examples: [1] }),
    lastStatus: z
      .int()
      .meta({ format: 'int32', minimum: 100, maximum: 999 })
      .nullable()
      .meta({ description: 'Status of the last response; null if there was none', examples: [200] }),
    lastError: textOutput(MAX_ERROR_LENGTH, 'connection refused', 'Why the last attempt failed; null if it did not')
      .nullable()
      .meta({ examples: [null] }),
    nextAttemptAt: timestampOutput
      .nullable()
      .meta({ description: 'Time of the next attempt; null if there is none', examples: [null] }),
  })
  .meta({ id: 'WebhookDelivery', description: 'An event on its way to an endpoint' });

export const DeliveryPage = pageOutput(DeliveryOutput).meta({
  id: 'WebhookDeliveries',
  description: 'A page of deliveries, newest first',
});
