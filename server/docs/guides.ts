import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';

/** Folder of the guides. */
export const DOCS_DIRECTORY = new URL('../../docs/', import.meta.url);

/** The index, which is the page at `/docs`. */
export const INDEX_FILE = 'README.md';

/** The group whose pages are about the source code, which readers of the service do not have. */
const GROUP_OF_SOURCE = 'Developers';

/** A guide that the service shows. */
export interface Guide {
  /** Path of its file in `docs/`. */
  file: string;
  /** Path of the page below `/docs/`. */
  path: string;
  title: string;
  summary: string;
}

/** Guides for the same readers. */
export interface GuideGroup {
  name: string;
  guides: Guide[];
}

const ENTRY = /^- \[(.+?)\]\((.+?)\): (.+)$/gm;

/** Reads the guides from the index, which alone lists them. */
export async function readGuides(): Promise<GuideGroup[]> {
  const index = await readFile(new URL(INDEX_FILE, DOCS_DIRECTORY), 'utf8');
  return index.split(/^## /m).flatMap((section) => {
    const name = section.slice(0, section.indexOf('\n'));
    const guides = [...section.matchAll(ENTRY)].map(([, title = '', file = '', summary = '']) => ({
      file,
      path: pagePath(file),
      title,
      summary,
    }));
    return guides.length === 0 || name === GROUP_OF_SOURCE ? [] : [{ name, guides }];
  });
}

const pagePath = (file: string) => file.replace(/\.md$/, '');

/** Path from the root of the repository to what a link in a file of `docs/` names. */
export const resolveLink = (file: string, target: string): string =>
  posix.normalize(posix.join('docs', posix.dirname(file), target));
