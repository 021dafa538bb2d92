import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../../support/http/listen.ts';
import type { Member } from './member.ts';
import { Program } from './program.ts';

/** An HAProxy in front of the members: one port leads to the primary, the other to the standbys. */
export async function defineHaproxy(folder: string, members: readonly Member[]) {
  const ports = { primary: await findFreePort(), replica: await findFreePort() };
  const servers = members.map(
    ({ name, ports: { postgresql, api } }) => `  server ${name} 127.0.0.1:${postgresql} check port ${api}`,
  );
  // Patroni's API says which member is the primary. Sessions with a server that is no longer fit are closed.
  const listen = (role: keyof typeof ports) => `
listen ${role}
  bind 127.0.0.1:${ports[role]}
  option httpchk OPTIONS /${role}
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
  const configuration = join(folder, 'haproxy.cfg');
  writeFileSync(
    configuration,
    `global
  maxconn 2000
defaults
  mode tcp
  timeout connect 1s
  timeout check 1s
  timeout client 30m
  timeout server 30m
${listen('primary')}${listen('replica')}`,
  );
  return { ports, program: new Program(['haproxy', '-db', '-f', configuration], join(folder, 'haproxy.log')) };
}
