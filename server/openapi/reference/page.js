// Adds the nonce of the Content-Security-Policy to every style sheet, as the bundle creates some without it.
const { content: nonce } = document.querySelector('meta[property=csp-nonce]');
const createElement = document.createElement.bind(document);
document.createElement = (...args) => {
  const element = createElement(...args);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
};

// Copies a text as a person who selects it.
const writeText = async (text) => {
  const field = Object.assign(document.createElement('textarea'), { value: text, readOnly: true });
  document.body.append(field);
  field.focus({ preventScroll: true });
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (!isCopied) throw new Error('The browser did not copy the text.');
};
// The buttons that copy need a clipboard, which browsers have only at https and on this machine.
if (!('clipboard' in navigator)) Object.defineProperty(navigator, 'clipboard', { value: { writeText } });

// Scalar adds every parameter with an example to its code samples. Its extension `x-disabled` marks optional parameters: the
// page shows their examples, but the samples omit them.
const disableOptional = (parameter) => {
  if (parameter.required || parameter.example === undefined) return;
  parameter.examples = { default: { value: parameter.example, 'x-disabled': true } };
  delete parameter.example;
};

const fetchDocument = async (input, init) => {
  const response = await fetch(input, init);
  if (new URL(response.url).pathname !== '/openapi.json') return response;
  const openApi = await response.json();
  openApi.servers = [{ url: location.origin }]; // a browser may open the page at another address than APP_URL
  const operations = Object.values(openApi.paths).flatMap((verbs) => Object.values(verbs));
  const inOperations = operations.flatMap(({ parameters = [] }) => parameters);
  for (const parameter of [...inOperations, ...Object.values(openApi.components.parameters)])
    disableOptional(parameter);
  return Response.json(openApi);
};

// Configures the bundle, and disables every feature that contacts another host.
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
