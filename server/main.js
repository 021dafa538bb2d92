import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Everything else is compiled once for all starts: that is a third of what a start takes (docs/performance.md). Where the
// folder cannot be written, each start compiles for itself. This file is JavaScript, as Node would load its parser of TypeScript
// for it, which takes as long as to load a tenth of the service.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
await import('./process/start.ts');
