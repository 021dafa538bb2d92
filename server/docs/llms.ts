import { TITLE } from '../../procedures/document/introduction.ts';
import type { GuideGroup } from './guides.ts';
import { COMMANDS_PATH, DOCS_PATH } from './page.ts';

const SUMMARY =
  'Compliance tasks of frameworks and the vendors of a company. Programs call REST below /external with an API key in X-API-Key, tRPC at /trpc, or the tools of MCP at /mcp.';

/** The index for language models. https://llmstxt.org */
export function llmsText([integrators, ...others]: readonly GuideGroup[], origin: string): string {
  const url = (path: string) => `${origin.replace(/\/$/, '')}${path}`;
  const listOf = (groups: readonly GuideGroup[]) =>
    groups
      .flatMap(({ guides }) => guides)
      .map(({ title, path, summary }) => `- [${title}](${url(`${DOCS_PATH}/${path}.md`)}): ${summary}`)
      .join('\n');
  return `# ${TITLE}

> ${SUMMARY}

## Guides

${listOf(integrators === undefined ? [] : [integrators])}

## Reference

- [OpenAPI document](${url('/openapi.json')}): every operation, field and error, as OpenAPI 3.1.
- [Commands](${url(`${DOCS_PATH}/${COMMANDS_PATH}.md`)}): a curl command for every operation, with its response.

## Optional

${listOf(others)}
`;
}
