import { MantineProvider } from '@mantine/core';
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/client.ts';
import { pageNonce } from './nonce.ts';
import { router } from './router.tsx';
import './styles.css';
import './print/print.css';
import { colorSchemeManager, cssVariablesResolver, theme } from './theme.ts';

// The build adds the style sheets of the components: vite.config.ts.
if (import.meta.env.DEV) await import('@mantine/core/styles.layer.css');

setNonce(pageNonce);

const root = document.querySelector('#root');
if (root === null) throw new Error('#root: not found');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={() => pageNonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
