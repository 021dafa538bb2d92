import { requireNode } from './process/require-node.js';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

requireNode();

// Enables the compile cache before any other module is loaded, which shortens the next starts (bench/README.md). It is in the
// home directory, because the installation may be read-only and other users can write to the temporary directory. If there is
// no writable home directory, Node starts without the cache. This file is JavaScript, because a TypeScript file would make Node
// load its TypeScript parser even when the cache contains all other modules.
try {
  module.enableCompileCache(join(homedir(), '.cache', 'compliance-api'));
} catch {
  // A user id without an entry in /etc/passwd, and without HOME, has no home directory.
}
await import('./process/start.ts');
