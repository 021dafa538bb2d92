import { z } from 'zod';
import { companyProcedure, router } from '../core/trpc.ts';
import { listDeliveries, replay, sendTest } from './deliveries.ts';
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  readWebhook,
  removeWebhook,
  requirePublicUrl,
  rotateSecret,
} from './endpoints.ts';
import { openapi } from './openapi.ts';
import {
  DeliveryPage,
  DeliveryQuery,
  NewWebhook,
  SecretOutput,
  WebhookChanges,
  WebhookId,
  WebhookOutput,
  WebhookPage,
  WebhookQuery,
  WebhookReplay,
  WebhookRotation,
  WebhookSecretOutput,
  WebhookTest,
} from './schemas.ts';

const BASE_PATH = '/external/webhook';
const ITEM_PATH = `${BASE_PATH}/{webhook}` as const;

/** Endpoints are on other servers. */
const mcp = { isOpenWorld: true } as const;
const reader = companyProcedure('webhook:read', 'audit:read').meta({ mcp });
const manager = companyProcedure('webhook:manage', 'audit:read').meta({ mcp });

/** The webhook endpoints of the caller's company. Contract, section 14. */
export const webhook = router({
  create: manager
    .meta({
      openapi: { method: 'POST', path: `${BASE_PATH}/new`, ...openapi.create },
      response: { kind: 'json', location: `${BASE_PATH}/{uniqueId}/item`, secretField: 'secret' },
      beforeTransaction: requirePublicUrl,
    })
    .input(NewWebhook)
    .output(WebhookSecretOutput)
    .mutation(({ ctx, input }) => createWebhook(ctx, input)),

  list: reader
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/list`, ...openapi.list } })
    .input(WebhookQuery.optional())
    .output(WebhookPage)
    .query(({ ctx, input = {} }) => listWebhooks(ctx, input)),

  get: reader
    .meta({ openapi: { method: 'GET', path: `${ITEM_PATH}/item`, ...openapi.get } })
    .input(WebhookId)
    .output(WebhookOutput)
    .query(({ ctx, input }) => readWebhook(ctx.session, input.webhook)),

  update: manager
    .meta({
      openapi: { method: 'PATCH', path: `${ITEM_PATH}/edit`, ...openapi.update },
      beforeTransaction: requirePublicUrl,
    })
    .input(WebhookChanges)
    .output(WebhookOutput)
    .mutation(({ ctx, input }) => changeWebhook(ctx, input)),

  rotate: manager
    .meta({
      openapi: { method: 'POST', path: `${ITEM_PATH}/rotate`, ...openapi.rotate },
      response: { kind: 'json', secretField: 'secret' },
    })
    .input(WebhookRotation)
    .output(SecretOutput)
    .mutation(({ ctx, input }) => rotateSecret(ctx, input)),

  test: manager
    .meta({
      mcp: { ...mcp, isAdditive: true },
      openapi: { method: 'POST', path: `${ITEM_PATH}/test`, ...openapi.test },
      response: { kind: 'json', status: 202 },
    })
    .input(WebhookTest)
    .output(z.void())
    .mutation(({ ctx, input }) => sendTest(ctx, input)),

  deliveries: reader
    .meta({ openapi: { method: 'GET', path: `${ITEM_PATH}/delivery/list`, ...openapi.deliveries } })
    .input(DeliveryQuery)
    .output(DeliveryPage)
    .query(({ ctx, input }) => listDeliveries(ctx.session, input)),

  replay: manager
    .meta({
      mcp: {
        ...mcp,
        isAdditive: true,
        description:
          'One event, or all that the endpoint selects from a time on, with the same `webhook-id` as before.',
      },
      openapi: { method: 'POST', path: `${ITEM_PATH}/replay`, ...openapi.replay },
      response: { kind: 'json', status: 202 },
    })
    .input(WebhookReplay)
    .output(z.void())
    .mutation(({ ctx, input }) => replay(ctx.session, input)),

  delete: manager
    .meta({ openapi: { method: 'DELETE', path: `${ITEM_PATH}/delete`, ...openapi.delete } })
    .input(WebhookId)
    .output(z.void())
    .mutation(({ ctx, input }) => removeWebhook(ctx, input.webhook)),
});
