// Builds the application into app/dist: npm run build:app
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const ASSETS = new URL('dist/assets/', import.meta.url);

const compress = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) };

/** Loads Vite; undefined in an installation without development dependencies. */
async function loadVite() {
  try {
    return await import('vite');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Writes compressed files beside each asset. */
async function compressAssets(): Promise<void> {
  await Promise.all(
    (await readdir(ASSETS)).map(async (name) => {
      const content = await readFile(new URL(name, ASSETS));
      for (const [extension, encode] of Object.entries(compress))
        await writeFile(new URL(name + extension, ASSETS), await encode(content));
    }),
  );
}

const vite = await loadVite();
if (vite === undefined) {
  process.stdout.write('The application is not built: Vite is not installed.\n');
} else {
  const configFile = new URL('vite.config.ts', import.meta.url).pathname;
  // Node runs the file as it is. Vite would bundle it and the modules of the service that it imports.
  await vite.build({ configFile, configLoader: 'native', logLevel: 'warn' });
  await compressAssets();
}
