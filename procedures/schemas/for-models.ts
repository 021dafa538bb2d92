import { z } from 'zod';

/**
 * Descriptions of fields in the tools of MCP, where many tools would repeat a long one of REST; undefined leaves it out. A field
 * keeps it until `meta` gives it another description. A long pattern is left out with `pattern: undefined`.
 */
export const forModels = z.registry<{ description: string | undefined; pattern?: undefined }>();
