import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A database of its own. */
interface Scratch {
  /** For who made it. */
  url: string;
  /** For a role of its own, which owns nothing. */
  serviceUrl: string;
  /** Drops both, whoever is still connected. */
  drop: () => Promise<void>;
}

/**
 * Makes an empty database beside the one that this URL names.
 * @param options of `create database`
 */
export async function scratchDatabase(beside: string, options = ''): Promise<Scratch> {
  const name = `compliance_test_${randomUUID().slice(0, 8)}`;
  const admin = new Client({ connectionString: beside });
  await admin.connect();
  await admin.query(`create database ${name} ${options}`);
  await admin.query(`revoke temporary on database ${name} from public`);
  const url = new URL(beside);
  url.pathname = `/${name}`;
  await admin.query(`create role ${name} login password '${name}'`);
  const service = new URL(url);
  service.username = service.password = name;
  const drop = async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop role ${name}`);
    await admin.end();
  };
  return { url: url.href, serviceUrl: service.href, drop };
}
