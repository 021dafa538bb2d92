import { readFile, readdir } from 'node:fs/promises';
import { encodeContent } from '../http/compression.ts';
import type { EncodedContent } from '../http/compression.ts';
import { DOCS_DIRECTORY, INDEX_FILE, readGuides, resolveLink } from './guides.ts';
import type { Guide, GuideGroup } from './guides.ts';
import { llmsText } from './llms.ts';
import { renderMarkdown } from './markdown.ts';
import type { LinkTarget } from './markdown.ts';
import { once } from './once.ts';
import { COMMANDS_PATH, DOCS_PATH, guidePage, navigationOf } from './page.ts';

/** Origin of the service in the committed pages. */
const DOCUMENTED_ORIGIN = 'API=http://127.0.0.1:3000';

/** A part of a page that is generated: `<!-- /fields -->`. */
const END_MARKER = /<!-- \/\w+ -->/;

const ASSET_DIRECTORY = new URL('assets/', import.meta.url);

/** Files beside the guides to which they link, with their types. Folders are those of `docs/`. */
const FILES: readonly (readonly [folder: string, name: RegExp, type: string])[] = [
  ['', /\.sql$/, 'text/plain; charset=utf-8'],
  ['examples/', /\.ts$/, 'text/plain; charset=utf-8'],
  ['images/', /\.png$/, 'image/png'],
  ['images/', /\.webp$/, 'image/webp'],
];

export interface ServedFile {
  type: string;
  content: EncodedContent;
  /** True if the path names the content, so that it never changes. */
  isImmutable: boolean;
}

/** A section that the search finds. */
export interface SearchEntry {
  page: string;
  title: string;
  href: string;
  text: string;
}

type MakeFile = () => Promise<ServedFile>;

/** A page before it is rendered. */
interface Source {
  /** File in `docs/`, from which its links are resolved. */
  file: string;
  href: string;
  markdown: () => Promise<string>;
}

/** The content that the service shows at `/docs`. */
export interface Site {
  groups: readonly GuideGroup[];
  /** Every path that is served. Each is made at its first request. */
  paths: ReadonlyMap<string, MakeFile>;
}

/**
 * Opens the documentation. Nothing is rendered until it is requested.
 * @param origin of the service, which examples and llms.txt name
 */
export async function openSite(origin: () => string): Promise<Site> {
  const [groups, files, style, script] = await Promise.all([
    readGuides(),
    listFiles(),
    loadAsset('docs.css', 'text/css; charset=utf-8'),
    loadAsset('docs.js', 'text/javascript; charset=utf-8'),
  ]);
  const guides = groups.flatMap((group) => group.guides);
  const navigation = navigationOf(groups);
  const assets = { style: style.href, script: script.href };
  const sources: Source[] = [
    { file: INDEX_FILE, href: DOCS_PATH, markdown: once(() => readMarkdown(INDEX_FILE, origin())) },
    ...guides.map(({ file, path }) => ({
      file,
      href: `${DOCS_PATH}/${path}`,
      markdown: once(() => readMarkdown(file, origin())),
    })),
    {
      file: `${COMMANDS_PATH}.md`,
      href: `${DOCS_PATH}/${COMMANDS_PATH}`,
      markdown: once(async () => (await import('./commands.ts')).commandsPage(origin())),
    },
  ];
  const toTarget = linkResolver(guides, new Set(files.map(({ name }) => name)));
  const render = async ({ file, markdown }: Source) =>
    renderMarkdown(await markdown(), (target) => toTarget(file, target));

  const paths = new Map<string, MakeFile>();
  const add = (path: string, make: MakeFile) => paths.set(path, once(make));
  for (const source of sources) {
    add(source.href, async () => {
      const { title, html, headings } = await render(source);
      const page = guidePage({ title, html, headings, href: source.href, navigation, assets });
      return toFile('text/html; charset=utf-8', page);
    });
    const markdownPath = source.href === DOCS_PATH ? `${DOCS_PATH}/${source.file}` : `${source.href}.md`;
    add(markdownPath, async () => toFile('text/markdown; charset=utf-8', await source.markdown()));
  }
  for (const { name, type } of files)
    add(`${DOCS_PATH}/${name}`, async () => toFile(type, await readFile(new URL(name, DOCS_DIRECTORY))));
  for (const { href, file } of [style, script]) add(href, async () => file);
  for (const path of ['/llms.txt', `${DOCS_PATH}/llms.txt`])
    add(path, () => toFile('text/plain; charset=utf-8', llmsText(groups, origin())));
  add(`${DOCS_PATH}/search.json`, async () => {
    // The index repeats the titles of the others.
    const pages = await Promise.all(
      sources.slice(1).map(async (source) => toEntries(source.href, await render(source))),
    );
    return toFile('application/json', JSON.stringify(pages.flat()));
  });
  return { groups, paths };
}

async function listFiles(): Promise<{ name: string; type: string }[]> {
  const found = FILES.map(async ([folder, pattern, type]) =>
    (await readdir(new URL(folder, DOCS_DIRECTORY)))
      .filter((name) => pattern.test(name))
      .map((name) => ({ name: folder + name, type })),
  );
  return (await Promise.all(found)).flat();
}

async function loadAsset(name: string, type: string) {
  const content = await encodeContent(await readFile(new URL(name, ASSET_DIRECTORY)));
  const extension = name.slice(name.lastIndexOf('.'));
  const file: ServedFile = { type, content, isImmutable: true };
  return { href: `${DOCS_PATH}/${content.digest}${extension}`, file };
}

const toFile = async (type: string, text: string | Buffer): Promise<ServedFile> => ({
  type,
  content: await encodeContent(Buffer.from(text)),
  isImmutable: false,
});

async function readMarkdown(file: string, origin: string): Promise<string> {
  const text = await readFile(new URL(file, DOCS_DIRECTORY), 'utf8');
  return (await withTables(text)).replaceAll(DOCUMENTED_ORIGIN, `API=${origin}`);
}

/**
 * Writes the generated tables into a page. They derive from the schemas, the router and the list of personal data, so no page can differ
 * from the code. The modules that make them are loaded for a page that has one.
 */
async function withTables(page: string): Promise<string> {
  if (!END_MARKER.test(page)) return page;
  const [{ withFieldTables }, { withToolTables }, { withPrivacyTables }] = await Promise.all([
    import('./field-tables.ts'),
    import('./tool-tables.ts'),
    import('./privacy-tables.ts'),
  ]);
  return withPrivacyTables(withToolTables(withFieldTables(page)));
}

/** Creates a function that finds where a link in a file of `docs/` leads. */
function linkResolver(guides: readonly Guide[], files: ReadonlySet<string>) {
  const pages = new Map([
    [INDEX_FILE, DOCS_PATH],
    ...guides.map(({ file, path }) => [file, `${DOCS_PATH}/${path}`] as const),
  ]);
  return (file: string, target: string): LinkTarget => {
    if (/^(?:[a-z]+:|[#/])/.test(target)) return { href: target };
    const [path = '', fragment] = target.split('#', 2);
    const source = resolveLink(file, path);
    const name = source.replace(/^docs\//, '');
    const href = pages.get(name) ?? (files.has(name) ? `${DOCS_PATH}/${name}` : undefined);
    return href === undefined ? { source } : { href: fragment === undefined ? href : `${href}#${fragment}` };
  };
}

const toEntries = (href: string, { title: page, sections }: ReturnType<typeof renderMarkdown>): SearchEntry[] =>
  sections.map(({ id, title, text }) => ({ page, title, href: id === '' ? href : `${href}#${id}`, text }));
