import react from '@vitejs/plugin-react';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';
import { RESOURCE_TYPES, resourceOf } from '../entities/audit/fields.ts';
import packageJson from '../package.json' with { type: 'json' };
import { importFacts } from '../procedures/import/facts.ts';

/** Service to which the development server forwards requests. */
const SERVICE_URL = 'http://localhost:3000';

/** Declares the pages. */
const ROUTER = new URL('src/router.tsx', import.meta.url);

/** Kilobytes. The code that all pages share has 667. `test/app/every-page.test.ts` limits what a page loads. */
const MAX_CHUNK_SIZE = 700;

/** The service accepts only pages of its own origin, so forwarded requests name it. Pages of other sites stay `cross-site`. */
const PROXY = { target: SERVICE_URL, changeOrigin: true, headers: { origin: SERVICE_URL } };

/**
 * Adds the style sheet of each component of Mantine that the application uses, after those of the components that it contains.
 * The style sheet of all components has three times as many bytes.
 */
const mantineStyles: Plugin = {
  name: 'mantine-styles',
  apply: 'build',
  transform: (code, id) => {
    const [, name] = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/.exec(id) ?? [];
    if (name === undefined) return undefined;
    const file = `@mantine/core/styles/${name}.layer.css`;
    return existsSync(fileURLToPath(import.meta.resolve(file))) ? `${code}\nimport '${file}';` : undefined;
  },
};

/** Route of a page of a company in `src/router.tsx`, with the module of the page. */
const PAGE_ROUTE = /signedInPage\('([^']+)', \(\) => import\('\.\/([^']+)'\)\)/g;

/** Writes the file of each page of a company into `index.html`, which loads it without waiting for the router. */
const pageFiles: Plugin = {
  name: 'page-files',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const pages = [...readFileSync(ROUTER, 'utf8').matchAll(PAGE_ROUTE)].map(([, path = '', module = '']) => {
        const page = Object.values(bundle).find(
          (file) => file.type === 'chunk' && file.facadeModuleId?.endsWith(`/app/src/${module}`),
        );
        if (page === undefined) throw new Error(`${module}: expected a file of its own in the build`);
        return { pattern: `^${path.replaceAll(/\$\w+/g, '[^/]+')}$`, file: `/${page.fileName}` };
      });
      // Paths without a parameter come first, as in the router.
      pages.sort((a, b) => Number(a.pattern.includes('[')) - Number(b.pattern.includes('[')));
      return html.replace('/* pages */ []', () => JSON.stringify(pages));
    },
  },
};

export default defineConfig({
  define: {
    APP_VERSION: JSON.stringify(packageJson.version),
    IMPORT_FACTS: JSON.stringify(importFacts()),
    RESOURCE_VERBS: JSON.stringify(Object.fromEntries(RESOURCE_TYPES.map((type) => [type, resourceOf(type).verbs]))),
  },
  root: import.meta.dirname,
  plugins: [react(), mantineStyles, pageFiles],
  // The server replaces the placeholder with the nonce of each response.
  html: { cspNonce: '{{nonce}}' },
  build: {
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: MAX_CHUNK_SIZE,
    cssCodeSplit: false,
    emptyOutDir: true,
    // What two pages need is in one file: a browser loads six at a time over HTTP/1.1, and small ones compress worse.
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } },
    },
  },
  // The service gives files of this extension the policy of a worker, which permits no request.
  worker: {
    format: 'es',
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: { entryFileNames: 'assets/[name]-[hash].mjs' },
    },
  },
  server: { proxy: { '/trpc': PROXY, '/session': PROXY, '/.well-known': PROXY } },
});
