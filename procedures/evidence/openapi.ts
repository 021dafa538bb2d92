import { MAX_EVIDENCE } from '../../entities/evidence/evidence.ts';
import { nounOf, operationTexts } from '../document/resource-texts.ts';

const text = operationTexts('Evidence');
const RIGHTS = 'Needs the read scope of the task or vendor too.';
const MAX = (noun: string) =>
  `The ${noun} itself does not change. A ${noun} has at most ${MAX_EVIDENCE} pieces of evidence.`;

/** Operations below a task or a vendor, and texts of the others, in the OpenAPI document. */
export const openapi = {
  upload: (noun: string) => ({
    method: 'POST' as const,
    path: '/evidence/new' as const,
    ...text(
      `upload${nounOf(noun)}Evidence`,
      `Attach a file to a ${noun}`,
      `The body is the file, of at most 50 MiB by default, of any media type. ${MAX(noun)}`,
    ),
    errorResponses: [404, 422],
  }),
  link: (noun: string) => ({
    method: 'POST' as const,
    path: '/evidence/link' as const,
    ...text(`link${nounOf(noun)}Evidence`, `Attach a link to a ${noun}`, MAX(noun)),
    errorResponses: [404, 422],
  }),
  list: (noun: string) => ({
    method: 'GET' as const,
    path: '/evidence/list' as const,
    ...text(`list${nounOf(noun)}Evidence`, `List the evidence of a ${noun}`, 'Newest first.'),
  }),
  listAll: text(
    'listEvidence',
    'List the evidence of all tasks and vendors',
    'Newest first: all of the company that the read scopes and the frameworks of the key reach. Needs `task:read` or `vendor:read` too.',
  ),
  get: text('getEvidence', 'Read a piece of evidence', RIGHTS),
  content: text(
    'getEvidenceContent',
    'Download the file of a piece of evidence',
    `Always an attachment. \`Range\` takes one range. A link has no file: 404. ${RIGHTS}`,
  ),
  update: text(
    'updateEvidence',
    'Change a piece of evidence',
    `Omitted fields keep their value. The file stays. ${RIGHTS}`,
  ),
  delete: text(
    'deleteEvidence',
    'Delete a piece of evidence',
    `Its bytes go within a minute, unless other evidence has the same. The audit log keeps everything else. ${RIGHTS}`,
  ),
};

const EITHER = 'Takes either `taskUniqueId` or `vendor`.';

/** Texts for models, of procedures with an operation for each kind of parent. */
export const MCP = {
  upload: { exclude: 'A file does not fit into the arguments of a tool: upload it over REST.' },
  content: { exclude: 'A file does not fit into the result of a tool: download it over REST.' },
  link: { title: 'Attach a link to a task or a vendor', description: EITHER },
  list: { title: 'List the evidence of a task or a vendor', description: `${EITHER} Newest first.` },
};
