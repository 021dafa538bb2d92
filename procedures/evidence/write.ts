import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { evidenceResource } from '../../entities/evidence/evidence.ts';
import { checkEvidence, evidenceStatements } from '../../entities/evidence/statements.ts';
import type { EvidenceRecord } from '../../entities/evidence/statements.ts';
import { newUniqueId } from '../../entities/ids.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { createResource, resourceActions } from '../core/resource.ts';
import { parentFields, readParent } from '../parent/parent.ts';
import { todayOf } from '../task/due.ts';
import type { CheckInput, EvidenceChanges, NewLink } from './schemas.ts';

export const actions = resourceActions(evidenceStatements);

/** A link, or a stored file. */
export type Attachment =
  | { kind: 'link'; url: string }
  | { kind: 'file'; fileId: string; mediaType: string; size: number; sha256: string };

const NO_FILE = { fileId: null, mediaType: null, size: null, sha256: null };

/** Attaches a link. @throws ApiError 404 without the task or vendor, 422 for too much evidence */
export const attachLink = (session: Session, { url, ...input }: z.infer<typeof NewLink>) =>
  attach(session, input, { kind: 'link', url });

/** Attaches a link or a file to a task or a vendor. @throws ApiError 404 without it, 422 for too much evidence */
export async function attach(
  session: Session,
  { name, note, date: givenDate, validUntil, ...parent }: Omit<z.infer<typeof NewLink>, 'url'>,
  attachment: Attachment,
): Promise<EvidenceRecord> {
  const date = givenDate ?? (await todayOf(session));
  const invalid = evidenceResource.validate({ name, note, date, validUntil });
  if (invalid !== undefined) {
    await readParent(session, parent);
    throw invalid;
  }
  const attached = attachment.kind === 'link' ? { ...NO_FILE, ...attachment } : { url: null, ...attachment };
  const fields = { ...parentFields(parent), uniqueId: newUniqueId(), ...attached, name, note, date, validUntil };
  return createResource(session, evidenceStatements, fields, () => readParent(session, parent));
}

/** Changes evidence. Its file or link stays. */
export function changeEvidence(
  session: Session,
  { evidence: uniqueId, ...changes }: z.infer<typeof EvidenceChanges>,
  ifMatch: IfMatch,
) {
  const parameters = { ...evidenceResource.changeParameters(changes), uniqueId, ifMatch };
  return actions.update(session, parameters, changes, evidenceResource.applyChanges);
}

const { update: updateCheck } = resourceActions({ ...evidenceStatements, update: checkEvidence });

/** Checks evidence, or withdraws its check. */
export const recordCheck = (
  session: Session,
  { evidence: uniqueId, result, note }: z.infer<typeof CheckInput>,
  ifMatch: IfMatch,
) =>
  updateCheck(session, { uniqueId, ifMatch, result, note }, { checked: true }, ({ check }, changes) =>
    // Each check is a change, so it never equals the previous one. Withdrawing a check that is not there changes nothing.
    result === null && check === null ? {} : changes,
  );
