import { expect } from 'vitest';
import type { Database } from '../../../database/database.ts';
import { Encryption } from '../../../procedures/core/encryption.ts';
import { createApp } from '../../../server/app.ts';
import { parseEncryptionKeys } from '../../../server/config/environment.ts';
import { HttpServer } from '../../../server/http/server.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { services } from '../../support/tenants/member.ts';
import { Client, OPERATOR_TOKEN } from './client.ts';
import type { FixtureRecord } from './record.ts';

/** Starts an application, without jobs, on a database with the encryption key of a fixture. */
export async function startAppOn(database: Database, { encryptionKey }: FixtureRecord) {
  const keys = parseEncryptionKeys(encryptionKey) ?? expect.fail('encryptionKey: expected a key');
  const app = createApp(database, OPERATOR_TOKEN, createLog('silent'), {
    services: { ...services, encryption: new Encryption(keys) },
  });
  const server = new HttpServer(app.callback());
  return { client: new Client(await server.listen({ host: '127.0.0.1', port: 0 })), stop: () => server.stop(0) };
}
