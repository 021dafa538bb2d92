import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { expected } from '../../entities/fields/schemas.ts';
import type { Principal } from '../../entities/principal.ts';
import { parseInput } from '../../procedures/core/errors.ts';
import type { Tool, ToolDescription } from './tools.ts';

const flag = z.enum(['true', 'false'], expected('true or false')).default('false');

/** Query of `/mcp`. The parameters may stand together. Contract, section 15. */
const SelectionQuery = z.strictObject({
  readOnly: flag,
  outputSchemas: flag,
  tools: z.string(expected('names of tools, separated by commas')).optional(),
});

/** Tools that one request may list and call. */
export interface Selection {
  /** Tools that the URL offers, by name. */
  tools: ReadonlyMap<string, Tool>;
  /** Those of them that the key sees in `tools/list`. */
  listed: readonly ToolDescription[];
  /** True if `tools/list` shows output schemas. */
  hasOutputSchemas: boolean;
}

/** Maximum number of selections in the cache, one for each combination of a query and scopes. */
export const MAX_CACHED_SELECTIONS = 200;

/** Selects tools by the query of a URL and the scopes of a key. Keeps the results. */
export class ToolSelector {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #cache = new Map<string, Selection>();

  constructor(tools: ReadonlyMap<string, Tool>) {
    this.#tools = tools;
  }

  /** Number of selections in the cache. */
  get cachedCount(): number {
    return this.#cache.size;
  }

  /** @throws ApiError 400 for an unknown parameter or name */
  select(query: Readonly<Record<string, unknown>>, principal: Pick<Principal, 'scopes'>): Selection {
    const { readOnly, outputSchemas, tools } = parseInput(SelectionQuery, { ...query });
    const names = tools === undefined ? undefined : [...new Set(tools.split(','))].toSorted();
    const key = JSON.stringify([readOnly, outputSchemas, names, principal.scopes.toSorted()]);
    let selection = this.#cache.get(key);
    if (selection === undefined) {
      selection = this.#create(readOnly === 'true', outputSchemas === 'true', names, principal);
      if (this.#cache.size >= MAX_CACHED_SELECTIONS) this.#cache.clear();
      this.#cache.set(key, selection);
    }
    return selection;
  }

  #create(
    readOnly: boolean,
    hasOutputSchemas: boolean,
    names: readonly string[] | undefined,
    principal: Pick<Principal, 'scopes'>,
  ): Selection {
    const all = [...this.#tools.keys()];
    const unknown = names?.find((name) => !all.some((tool) => isNamedBy(tool, name)));
    if (unknown !== undefined)
      throw new ApiError('invalid_request', `tools: unknown name "${unknown.slice(0, 100)}"; see tools/list`);
    const tools = new Map(
      [...this.#tools].filter(
        ([tool, { description }]) =>
          (!readOnly || description.annotations.readOnlyHint) && (names?.some((name) => isNamedBy(tool, name)) ?? true),
      ),
    );
    const listed = [...tools.values()]
      .filter(({ isListed }) => isListed(principal))
      .map((tool) => describe(tool, hasOutputSchemas));
    return { tools, listed, hasOutputSchemas };
  }
}

/** Returns true if a name in the query selects a tool: the whole name, or its beginning up to an underscore. */
const isNamedBy = (tool: string, name: string): boolean => tool === name || tool.startsWith(`${name}_`);

function describe({ description, outputSchema }: Tool, hasOutputSchema: boolean): ToolDescription {
  const schema = hasOutputSchema ? outputSchema() : undefined;
  return schema === undefined ? description : { ...description, outputSchema: schema };
}
