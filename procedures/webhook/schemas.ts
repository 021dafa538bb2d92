import { z } from 'zod';
import { MAX_ID } from '../../entities/ids.ts';
import { MAX_ERROR_LENGTH, MAX_TYPE_LENGTH } from '../../entities/webhook/delivery.ts';
import { WEBHOOK_SECRET_PREFIX } from '../../entities/webhook/secret.ts';
import { EVENT_SELECTORS, EVENT_TYPE_PATTERN } from '../../entities/webhook/event-type.ts';
import { DISABLED_REASONS, MAX_URL_LENGTH, MAX_WEBHOOK_DESCRIPTION_LENGTH } from '../../entities/webhook/webhook.ts';
import {
  EXAMPLE_IDS,
  booleanInput,
  expected,
  integerInput,
  maxLength,
  minLength,
  textInput,
  timestampInput,
  timestampOutput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../schemas/fields.ts';
import { integerOutput, textOutput } from '../schemas/output.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import { urlInput } from '../schemas/url.ts';

const MAX_OVERLAP_SECONDS = 86_400;
const EXPECTED_SEQUENCE = 'an integer from 1';
const int64 = { format: 'int64', maximum: Number.MAX_SAFE_INTEGER };

const isSelector = (text: string) => EVENT_SELECTORS.includes(text);

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
          error: ({ input }) =>
            `expected an event type such as task.create, or task.*; ${JSON.stringify(input).slice(0, MAX_TYPE_LENGTH)} is unknown`,
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
  enabled: booleanInput.meta({
    description: 'False disables the endpoint. Only a replay sends the events from meanwhile.',
  }),
};

export const NewWebhook = z.strictObject({
  url: fields.url,
  events: fields.events.optional(),
  description: fields.description.optional(),
});

export const WebhookId = z.strictObject({ webhook: uniqueIdInput('The endpoint’s uniqueId', EXAMPLE_IDS.webhook) });

export const WebhookChanges = WebhookId.extend(z.strictObject(fields).partial().shape);

export const WebhookQuery = z.strictObject(pagination);
export const DeliveryQuery = WebhookId.extend(pagination);

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
    url: textOutput(MAX_URL_LENGTH, 'https://hooks.example.com/compliance'),
    events: z
      .array(textOutput(MAX_TYPE_LENGTH, 'task.*').meta(selectorBounds))
      .meta({ maxItems: EVENT_SELECTORS.length })
      .nullable()
      .meta({
        description: 'Event types that are sent; null for all but `audit.checkpoint`',
        examples: [EXAMPLE_EVENTS],
      }),
    description: textOutput(MAX_WEBHOOK_DESCRIPTION_LENGTH, EXAMPLE_DESCRIPTION),
    enabled: z.boolean(),
    disabledReason: z
      .enum(DISABLED_REASONS)
      .nullable()
      .meta({
        description:
          'Null while enabled. `manual`: by a request; `gone`: by a response 410; `failing`: after 5 days without a success; ' +
          '`key`: the API key that created it is revoked, so that it cannot be enabled',
        examples: [null],
      }),
    createdAt: timestampOutput,
    updatedAt: timestampOutput,
  })
  .meta({ id: 'Webhook' });

const secretOutput = textOutput(
  100,
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwTzQmuzKJK8s=',
  'Signs the requests. No later response contains it; neither does a replay by `Idempotency-Key`.',
).meta({ pattern: `^${WEBHOOK_SECRET_PREFIX}[A-Za-z0-9+/]+=*$` });

/** Response of the creation. */
export const WebhookSecretOutput = WebhookOutput.extend({ secret: secretOutput }).meta({ id: 'WebhookWithSecret' });

/** Response of the rotation. */
export const SecretOutput = z.object({ secret: secretOutput }).meta({ id: 'WebhookSecret' });

export const WebhookPage = pageOutput(WebhookOutput).meta({ id: 'Webhooks' });

const DeliveryOutput = z
  .object({
    uniqueId: uniqueIdOutput.meta({ description: 'The same after a replay', examples: [EXAMPLE_IDS.delivery] }),
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
  .meta({ id: 'WebhookDelivery' });

export const DeliveryPage = pageOutput(DeliveryOutput).meta({ id: 'WebhookDeliveries' });
