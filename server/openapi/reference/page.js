// The style sheets that the bundle makes carry the nonce that the policy asks for; some of them it makes without.
const { content: nonce } = document.querySelector('meta[property=csp-nonce]');
const createElement = document.createElement.bind(document);
document.createElement = (...given) => {
  const element = createElement(...given);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
};

// Scalar puts each parameter that has an example into its samples. One that is optional is marked with Scalar's own extension
// `x-disabled`: the page shows its example, and samples leave it out.
const disableOptional = (parameter) => {
  if (parameter.required || parameter.example === undefined) return;
  parameter.examples = { default: { value: parameter.example, 'x-disabled': true } };
  delete parameter.example;
};

const fetchDocument = async (input, init) => {
  const response = await fetch(input, init);
  if (new URL(response.url).pathname !== '/openapi.json') return response;
  const openApi = await response.json();
  const operations = Object.values(openApi.paths).flatMap((verbs) => Object.values(verbs));
  const inOperations = operations.flatMap(({ parameters = [] }) => parameters);
  for (const parameter of [...inOperations, ...Object.values(openApi.components.parameters)])
    disableOptional(parameter);
  return Response.json(openApi);
};

// What the bundle is told to show, and to leave out: whatever would ask another host.
document.addEventListener('DOMContentLoaded', () => {
  globalThis.Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    fetch: fetchDocument,
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
