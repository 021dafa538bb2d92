/** Prefix of the secrets of webhook endpoints. https://www.standardwebhooks.com */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';
