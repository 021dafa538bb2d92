import type { Database } from '../database/database.ts';
import { Session } from '../database/session.ts';
import { newUniqueId } from '../entities/ids.ts';
import { insertPerson, joinCompany } from '../entities/member/statements.ts';
import { operatorPrincipal } from '../entities/principal.ts';

/** Creates an editor of a company. @param name without spaces. @returns its `uniqueId` */
export async function addMember(database: Database, company: number, name: string): Promise<string> {
  const [uniqueId, person] = [newUniqueId(), newUniqueId()];
  const newPerson = { uniqueId: person, email: `${name.toLowerCase()}@example.com`, name, password: null };
  await new Session(database, null, 'bench').one(insertPerson, newPerson);
  const member = { ...operatorPrincipal(company), user: { uniqueId, name, kind: 'human' as const } };
  await new Session(database, member, 'bench').one(joinCompany, { person, name, role: 'editor', frameworks: null });
  return uniqueId;
}
