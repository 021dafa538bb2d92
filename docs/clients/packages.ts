// Packs the client and the types of tRPC into dist/packages, from where the service offers them: npm run build:packages
import { execFile } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { VERSION } from '../../database/version.ts';
import { TYPES_DIRECTORY, writeTypesPackage } from './trpc-types.ts';

const root = join(import.meta.dirname, '../..');
const OUTPUT_DIRECTORY = join(root, 'dist', 'packages');

/** Returns false in an installation without development dependencies, which cannot build the client. */
function hasTools(): boolean {
  try {
    return import.meta.resolve('openapi-typescript') !== '';
  } catch {
    return false;
  }
}

/** Packs a folder as `npm publish` would, with its scripts. @param name of the file, whose version is in the package */
async function pack(folder: string, packageName: string, name: string): Promise<void> {
  const args = ['pack', folder, '--pack-destination', OUTPUT_DIRECTORY, '--loglevel=error'];
  await promisify(execFile)('npm', args, { cwd: root }).catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`${packageName} is not packed: ${error.stdout}${error.stderr}`, { cause: error });
  });
  const packed = `${packageName.slice(1).replace('/', '-')}-${VERSION}.tgz`;
  await rename(join(OUTPUT_DIRECTORY, packed), join(OUTPUT_DIRECTORY, name));
}

await rm(OUTPUT_DIRECTORY, { recursive: true, force: true });
if (hasTools()) {
  await mkdir(OUTPUT_DIRECTORY, { recursive: true });
  await writeTypesPackage(TYPES_DIRECTORY);
  await Promise.all([
    pack(join(root, 'clients', 'typescript'), '@compliance/client', 'client.tgz'),
    pack(TYPES_DIRECTORY, '@compliance/api-types', 'api-types.tgz'),
  ]);
} else {
  process.stdout.write('The packages for clients are not built: openapi-typescript is not installed.\n');
}
