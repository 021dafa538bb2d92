// The style sheets that the bundle makes carry the nonce that the policy asks for; some of them it makes without.
const { content: nonce } = document.querySelector('meta[property=csp-nonce]');
const createElement = document.createElement.bind(document);
document.createElement = (...given) => {
  const element = createElement(...given);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
};

// What the bundle is told to show, and to leave out: whatever would ask another host.
document.addEventListener('DOMContentLoaded', () => {
  globalThis.Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    theme: 'default',
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: '',
    persistAuth: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: 'direct',
    authentication: { preferredSecurityScheme: 'ApiKey' },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    defaultOpenAllTags: true,
  });
});
