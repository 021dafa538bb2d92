import { Session } from '../../../database/session.ts';
import type { Actor } from '../../../entities/company/user.ts';
import { evidenceStatements } from '../../../entities/evidence/statements.ts';
import { newUniqueId } from '../../../entities/ids.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { database } from '../database/database.ts';
import type { TestCompany } from './company.ts';

interface LinkFields {
  name?: string;
  date?: string;
  validUntil?: string | null;
  /** The user who adds it; by default the key of the company. */
  by?: Actor;
}

/** Adds a link to a task, a vendor or a requirement as its evidence. @returns the uniqueId of the evidence */
export async function addEvidence(
  { id, apiKey }: Pick<TestCompany, 'id' | 'apiKey'>,
  {
    taskUniqueId = null,
    vendor = null,
    requirement = null,
  }: { taskUniqueId?: string | null; vendor?: string | null; requirement?: string | null },
  { name = 'Access review', date = '2026-01-01', validUntil = null, by = apiKey.user }: LinkFields = {},
): Promise<string> {
  const principal = { ...operatorPrincipal(id), user: by };
  const { uniqueId } = await new Session(database, principal, 'evidence').one(evidenceStatements.insert, {
    uniqueId: newUniqueId(),
    taskUniqueId,
    vendor,
    requirement,
    kind: 'link',
    url: 'https://example.com/review',
    mediaType: null,
    size: null,
    sha256: null,
    fileId: null,
    name,
    note: '',
    date,
    validUntil,
  });
  return uniqueId;
}

const DAY_MS = 86_400_000;
/** A date, days from today in UTC. */
export const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
