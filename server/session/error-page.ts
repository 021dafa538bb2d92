import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { escapeHtml } from '../../procedures/core/html.ts';
import { newNonce, pageHeaders, isNavigation } from '../application/pages.ts';
import { setError } from '../http/error-handler.ts';
import type { RequestState } from '../http/request-state.ts';

/** Path of the page of the application where people sign in. */
const SIGN_IN_PATH = '/sign-in';

/**
 * Shows the errors of later middlewares as a page if a browser opens the path, as single sign-on sends the browser here.
 * Other clients get JSON from the error handler. Contract, section 16.
 */
export function errorPages(log: Logger): Middleware<RequestState> {
  return async (ctx, next) => {
    if (!isNavigation(ctx)) {
      await next();
      return;
    }
    try {
      await next();
    } catch (error) {
      const { message } = setError(ctx, log, error);
      const nonce = newNonce();
      ctx.set(pageHeaders(contentSecurityPolicy(nonce)));
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = page(toSentence(message), nonce);
    }
  };
}

/** Builds a policy that permits only the style sheet of the page. https://www.w3.org/TR/CSP3/ */
const contentSecurityPolicy = (nonce: string): string =>
  `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The colors are those of the browser, so they follow its light or dark scheme. */
const page = (message: string, nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not signed in</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 32rem; margin: 15vh auto 0; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; }
a { color: inherit; }
</style>
</head>
<body>
<main>
<h1>You are not signed in</h1>
<p>${escapeHtml(message)}</p>
<p><a href="${SIGN_IN_PATH}">Sign in again</a></p>
</main>
</body>
</html>
`;

/** Turns the message of an error into a sentence. */
const toSentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
