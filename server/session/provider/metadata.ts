import type { ServerMetadata } from 'openid-client';
import { z } from 'zod';
import { MAX_ISSUER_LENGTH } from '../../../entities/single-sign-on/sso.ts';

/** Maximum length of the URL of an endpoint. */
const MAX_URL_LENGTH = 2000;
const MAX_LIST_LENGTH = 50;

const endpoint = z.string().max(MAX_URL_LENGTH);
const list = z.array(z.string().max(MAX_LIST_LENGTH)).max(MAX_LIST_LENGTH).exactOptional();

/** Fields of the metadata that a sign-in uses. https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata */
const Metadata = z.object({
  // The database stores it. `URL` ignores spaces and control characters around it.
  issuer: z
    .string()
    .max(MAX_ISSUER_LENGTH)
    .regex(/^[!-~]+$/),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  jwks_uri: endpoint,
  userinfo_endpoint: endpoint.exactOptional(),
  token_endpoint_auth_methods_supported: list,
  id_token_signing_alg_values_supported: list,
  userinfo_signing_alg_values_supported: list,
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});

/** Metadata of a provider, reduced to the fields in use. A provider may send many more. */
export interface ProviderMetadata {
  server: ServerMetadata;
  /** True if the provider takes the client secret in the body. The default of the standard is the header. */
  takesSecretInBody: boolean;
}

/**
 * Validates and reduces the metadata of a provider.
 * @param issuer issuer in the settings of the company
 */
export function toProviderMetadata(metadata: object, issuer: string): ProviderMetadata {
  // Some providers send null for a field that they leave out.
  const fields = Object.entries(metadata).filter(([, value]) => value !== null);
  const { data, error } = Metadata.safeParse(Object.fromEntries(fields));
  if (error !== undefined) throw new Error(`metadata: expected a valid ${String(error.issues[0]?.path[0])}`);
  // Some providers have one configuration for all of their customers, whose emails they do not verify.
  if (new URL(data.issuer).href !== new URL(issuer).href)
    throw new Error('issuer: expected the issuer of the metadata');
  const { token_endpoint_auth_methods_supported: methods, ...server } = data;
  return { server, takesSecretInBody: methods?.includes('client_secret_post') === true };
}
