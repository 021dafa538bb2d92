import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Service to which the development server forwards requests. */
const SERVICE_URL = 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // The server replaces the placeholder with the nonce of each response.
  html: { cspNonce: '{{nonce}}' },
  build: { assetsInlineLimit: 0, emptyOutDir: true },
  server: { proxy: { '/trpc': SERVICE_URL, '/session': SERVICE_URL } },
});
