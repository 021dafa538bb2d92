import { createHash } from 'node:crypto';
import { Session } from '../../../database/session.ts';
import { newUniqueId } from '../../../entities/ids.ts';
import { memberPrincipal } from '../../../entities/principal.ts';
import { createDemoCompany } from '../../../procedures/demo/create.ts';
import { createCallerFactory } from '../../../procedures/core/trpc.ts';
import { serviceRouter } from '../../../procedures/index.ts';
import { sealWaiting } from '../../../procedures/audit/sealing.ts';
import { database } from '../database/database.ts';
import { serverStorage } from '../http/server.ts';
import { runImports } from '../tenants/imports.ts';
import { operatorCaller } from '../tenants/company.ts';
import { services as memberServices } from '../tenants/member.ts';

const createServiceCaller = createCallerFactory(serviceRouter);
export const services = { ...memberServices, storage: serverStorage };

/** Creates a demo company with a name of its own, and runs its import. */
export async function createDemo() {
  const name = `Acme Robotics ${newUniqueId()}`;
  const made = await createDemoCompany(new Session(database, null, 'test'), services, name);
  const { id } = made;
  const { management } = operatorCaller(made);
  await runImports(made);
  const admin = (await management.member.list()).find(({ role }) => role === 'admin');
  if (admin === undefined) throw new Error('demo: expected an admin');
  const principal = memberPrincipal({
    company: id,
    uniqueId: admin.uniqueId,
    name: admin.name,
    role: 'admin',
    frameworks: null,
  });
  const session = new Session(database, principal, 'test');
  await sealWaiting(session, 60_000);
  const webSession = { uniqueId: newUniqueId(), person: newUniqueId(), singleSignOn: false };
  const caller = createServiceCaller({
    requestId: 'test',
    caller: 'member',
    address: null,
    session,
    webSession,
    services,
  });
  return { ...made, name, manage: management, caller };
}

export type TestDemo = Awaited<ReturnType<typeof createDemo>>;

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The bytes of evidence or of a proof. */
export async function readAll({ size, read }: Awaited<ReturnType<TestDemo['caller']['evidence']['content']>>) {
  const parts: Uint8Array[] = [];
  for await (const part of read({ start: 0, end: size - 1 })) parts.push(part);
  return Buffer.concat(parts);
}
