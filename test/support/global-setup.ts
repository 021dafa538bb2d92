import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { openPostgreSql } from '../../entities/database/postgresql.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated PostgreSQL made for this run; undefined when the tests use the embedded database. */
    databaseUrl: string | undefined;
  }
}

/** With DATABASE_URL set, the tests run in a database made beside the one it names, and dropped when they end. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const server = process.env['DATABASE_URL'];
  if (server === undefined) {
    project.provide('databaseUrl', undefined);
    return undefined;
  }
  const name = `compliance_test_${randomUUID().slice(0, 8)}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = await openPostgreSql(url.href);
  await database.migrate();
  await database.close();
  project.provide('databaseUrl', url.href);
  return async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  };
}
