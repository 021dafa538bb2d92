import type { ServerMetadata } from 'openid-client';
import { z } from 'zod';
import { MAX_ISSUER_LENGTH } from '../../../entities/single-sign-on/sso.ts';

/** Maximum length of the URL of an endpoint. */
const MAX_URL_LENGTH = 2000;
const MAX_LIST_LENGTH = 50;

const endpoint = z.string().max(MAX_URL_LENGTH);
const list = z.array(z.string().max(MAX_LIST_LENGTH)).max(MAX_LIST_LENGTH).nullish();

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
  userinfo_endpoint: endpoint.nullish(),
  token_endpoint_auth_methods_supported: list,
  id_token_signing_alg_values_supported: list,
  userinfo_signing_alg_values_supported: list,
  authorization_response_iss_parameter_supported: z.boolean().nullish(),
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
export function toProviderMetadata(metadata: unknown, issuer: string): ProviderMetadata {
  const { data, error } = Metadata.safeParse(metadata);
  if (error !== undefined) throw new Error(`metadata: expected a valid ${String(error.issues[0]?.path[0])}`);
  // Some providers have one configuration for all of their customers, whose emails they do not verify.
  if (new URL(data.issuer).href !== new URL(issuer).href)
    throw new Error('issuer: expected the issuer of the metadata');
  const { userinfo_endpoint: userInfo, id_token_signing_alg_values_supported: algorithms } = data;
  const userInfoAlgorithms = data.userinfo_signing_alg_values_supported;
  const server: ServerMetadata = {
    issuer: data.issuer,
    authorization_endpoint: data.authorization_endpoint,
    token_endpoint: data.token_endpoint,
    jwks_uri: data.jwks_uri,
    authorization_response_iss_parameter_supported: data.authorization_response_iss_parameter_supported === true,
    ...(typeof userInfo === 'string' && { userinfo_endpoint: userInfo }),
    ...(Array.isArray(algorithms) && { id_token_signing_alg_values_supported: algorithms }),
    ...(Array.isArray(userInfoAlgorithms) && { userinfo_signing_alg_values_supported: userInfoAlgorithms }),
  };
  const takesSecretInBody = data.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
  return { server, takesSecretInBody };
}
