// Writes the pages that a service shows at `/docs` as Markdown, with their generated tables, to build/docs: npm run docs
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openSite } from './site.ts';

const TARGET = join(import.meta.dirname, '../../build');

const { paths } = await openSite(() => 'http://127.0.0.1:3000');
for (const [path, make] of paths) {
  if (!path.endsWith('.md')) continue;
  const file = join(TARGET, path);
  await mkdir(dirname(file), { recursive: true });
  const { content } = await make();
  await writeFile(file, content.encodings.identity);
}
process.stdout.write(`The pages are in ${join(TARGET, 'docs')}.\n`);
