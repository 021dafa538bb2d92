import { SUMMARY, TITLE } from '../../procedures/document/introduction.ts';
import type { GuideGroup } from './guides.ts';
import { COMMANDS_PATH, DOCS_PATH } from './page.ts';

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
