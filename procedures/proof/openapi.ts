import { MAX_OPEN_PROOFS, PROOF_RETENTION_DAYS } from '../../entities/proof/proof.ts';
import { operationTexts } from '../document/resource-texts.ts';

const text = operationTexts('Proofs');

const RIGHTS = 'A key or member that is limited to frameworks gets 403, and so does an editor.';

/** Texts of the operations in the OpenAPI document. */
export const openapi = {
  create: {
    ...text(
      'createProof',
      'Make a proof',
      'A ZIP with the registers at a time and the sealed events of a period, signed, which anybody checks without this server. It is ' +
        `made in the background. At most ${MAX_OPEN_PROOFS} are queued or running. With files it needs \`evidence:read\` too. ${RIGHTS}`,
    ),
    errorResponses: [422],
  },
  get: text('getProof', 'Read the state of a proof', RIGHTS),
  content: text(
    'getProofContent',
    'Download a proof',
    `404 until it is done. \`Range\` takes one range. One with files needs \`evidence:read\` too. ${RIGHTS}`,
  ),
  list: text(
    'listProofs',
    'List the proofs of the company',
    `Newest first, for ${PROOF_RETENTION_DAYS} days. ${RIGHTS}`,
  ),
  delete: text('deleteProof', 'Delete a proof', `One that has not ended is canceled. ${RIGHTS}`),
};
