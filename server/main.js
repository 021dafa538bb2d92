import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Enables the compile cache before any other module is loaded, which shortens the next starts (bench/README.md). If the
// directory is not writable, Node starts without the cache. This file is JavaScript, because a TypeScript file would make Node
// load its TypeScript parser even when the cache contains all other modules.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
await import('./process/start.ts');
