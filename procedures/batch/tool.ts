import type { ExternalIdType } from '../../entities/external-id/external-id.ts';
import type { ToolMeta } from '../core/meta.ts';

/** The batch of a resource as a tool of MCP. */
export const batchTool = (type: ExternalIdType): ToolMeta => ({
  description:
    'Each item is a single request with its own result; all run in one transaction. A batch counts as one request for every ' +
    '10 items. Each object may be the target of one item only.',
  listedScopes: [`${type}:write`, `${type}:delete`],
  mayCreate: true,
});
