import { TITLE } from '../../procedures/document/introduction.ts';
import { TAGS } from '../../procedures/index.ts';
import { escapeHtml } from '../../procedures/core/html.ts';
import type { GuideGroup } from './guides.ts';
import { headingId } from './markdown.ts';
import type { Heading } from './markdown.ts';

/** Path of the guides. */
export const DOCS_PATH = '/docs';
/** Path of the commands below `/docs/`. */
export const COMMANDS_PATH = 'commands';

interface NavigationLink {
  href: string;
  title: string;
}

interface NavigationGroup {
  name: string;
  links: NavigationLink[];
}

/** The navigation of all pages: first the guides for integrators. */
export function navigationOf([integrators, ...others]: readonly GuideGroup[]): NavigationGroup[] {
  const toGroup = ({ name, guides }: GuideGroup) => ({
    name,
    links: guides.map(({ path, title }) => ({ href: `${DOCS_PATH}/${path}`, title })),
  });
  return [
    ...(integrators === undefined ? [] : [toGroup(integrators)]),
    {
      name: 'Reference',
      links: [
        ...TAGS.map(({ name }) => ({ href: `${DOCS_PATH}/${COMMANDS_PATH}#${headingId(name)}`, title: name })),
        { href: `${DOCS_PATH}/reference`, title: 'Try the operations' },
        { href: '/openapi.json', title: 'OpenAPI document' },
      ],
    },
    ...others.map(toGroup),
  ];
}

/** Ids of the frame begin with `docs-`, so that they differ from those of headings. */
interface PageParts {
  title: string;
  html: string;
  headings: readonly Heading[];
  /** Address of the page. */
  href: string;
  navigation: readonly NavigationGroup[];
  assets: Readonly<Record<'style' | 'script', string>>;
}

/** Headings up to this number are listed beside the page with those below them. */
const MAX_DEEP_HEADINGS = 25;

/** Builds a page, which is readable without a script. */
export function guidePage({ title, html, headings, href, navigation, assets }: PageParts): string {
  const below = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const listed = below.length > MAX_DEEP_HEADINGS ? below.filter(({ depth }) => depth === 2) : below;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(href === DOCS_PATH ? TITLE : `${title} – ${TITLE}`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}" defer></script>
</head>
<body>
<a class="skip" href="#docs-content">Skip to the content</a>
<header>
<a class="home" href="${DOCS_PATH}">Documentation</a>
<a class="menu" href="#docs-menu">Menu</a>
<search hidden>
<input type="search" id="docs-search" placeholder="Search (/)" aria-label="Search the documentation" autocomplete="off" maxlength="200">
<div id="docs-results" hidden><p role="status"></p><ul></ul></div>
</search>
<a class="application" href="/">Application</a>
</header>
<div class="columns">
<main id="docs-content" tabindex="-1">
${html}${nextLink(href, navigation)}</main>
<nav id="docs-menu" aria-label="Documentation">
${navigation.map((group) => navigationGroup(group, href)).join('\n')}
</nav>
${listed.length < 2 ? '' : contents(listed)}</div>
</body>
</html>
`;
}

const navigationGroup = ({ name, links }: NavigationGroup, href: string) =>
  `<h2>${escapeHtml(name)}</h2>\n<ul>\n${links.map((link) => `<li>${anchor(link, link.href === href)}</li>`).join('\n')}\n</ul>`;

const anchor = ({ href, title }: NavigationLink, isCurrent: boolean) =>
  `<a href="${escapeHtml(href)}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`;

const contents = (headings: readonly Heading[]) =>
  `<nav class="contents" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${headings
    .map(({ id, title, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(title)}</a></li>`)
    .join('\n')}\n</ul>\n</nav>\n`;

/** A link to the page that follows in its group. */
function nextLink(href: string, navigation: readonly NavigationGroup[]): string {
  const links = navigation.find((group) => group.links.some((link) => link.href === href))?.links ?? [];
  const next = links[links.findIndex((link) => link.href === href) + 1];
  return next === undefined ? '' : `<p class="next">Next: ${anchor(next, false)}</p>\n`;
}
