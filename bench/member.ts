import type { Database } from '../database/database.ts';
import { Session } from '../database/session.ts';
import { newUniqueId } from '../entities/ids.ts';
import { insertPerson } from '../entities/member/statements.ts';
import { operatorPrincipal } from '../entities/principal.ts';
import { join } from '../procedures/member/identity.ts';

/** Creates an editor of a company. @param name without spaces. @returns its `uniqueId` */
export async function addMember(database: Database, company: number, name: string): Promise<string> {
  const [uniqueId, person] = [newUniqueId(), newUniqueId()];
  const email = `${name.toLowerCase()}@example.com`;
  const newPerson = { uniqueId: person, email, name, password: null, isProven: false };
  await new Session(database, null, 'bench').one(insertPerson, newPerson);
  const member = { ...operatorPrincipal(company), user: { uniqueId, name, kind: 'human' as const } };
  const joining = { person, name, email, role: 'editor', frameworks: null } as const;
  await new Session(database, member, 'bench').transaction((inside) => join(inside, joining));
  return uniqueId;
}
