import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A database that exists only for a test run. */
export interface ScratchDatabase {
  /** URL for its owner. */
  url: string;
  /** URL for a new role that owns nothing. */
  serviceUrl: string;
  /** Drops the database and the role, and terminates open connections. */
  drop: () => Promise<void>;
}

/**
 * Creates an empty database on the server of a URL.
 * @param options further options of `create database`
 */
export async function createScratchDatabase(serverUrl: string, options = ''): Promise<ScratchDatabase> {
  const name = `compliance_test_${randomUUID().slice(0, 8)}`;
  const admin = new Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`create database ${name} ${options}`);
  await admin.query(`revoke temporary on database ${name} from public`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await admin.query(`create role ${name} login password '${name}'`);
  const serviceUrl = new URL(url);
  serviceUrl.username = serviceUrl.password = name;
  const drop = async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop role ${name}`);
    await admin.end();
  };
  return { url: url.href, serviceUrl: serviceUrl.href, drop };
}
