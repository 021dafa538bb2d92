import { z } from 'zod';
import { expected, maxLength } from '../../entities/fields/schemas.ts';

/** Maximum length of a part of a response, in characters. Attestations with certificates are the longest. */
const MAX_LENGTH = 20_000;
/** Maximum number of ways to reach an authenticator. WebAuthn knows six. */
const MAX_TRANSPORTS = 10;

const base64Url = z
  .string(expected('base64url'))
  .check(maxLength(MAX_LENGTH, expected('base64url')))
  .regex(/^[\w-]+$/, 'expected base64url');

const credential = {
  id: base64Url.check(maxLength(1400, expected('a credential id'))),
  rawId: base64Url,
  type: z.enum(['public-key'], expected('public-key')),
};

// Browsers add fields, which these schemas drop. The library checks the contents.

/** `toJSON()` of a credential that a browser created. https://www.w3.org/TR/webauthn-3/#dictdef-registrationresponsejson */
export const RegistrationResponseInput = z.object(
  {
    ...credential,
    response: z.object({
      clientDataJSON: base64Url,
      attestationObject: base64Url,
      transports: z
        .array(z.string().check(maxLength(32)))
        .check(maxLength(MAX_TRANSPORTS))
        .default([]),
    }),
  },
  expected('the credential that the browser created, as JSON'),
);
export type RegistrationResponse = z.infer<typeof RegistrationResponseInput>;

/** `toJSON()` of a credential with which a person signs in. https://www.w3.org/TR/webauthn-3/#dictdef-authenticationresponsejson */
export const AuthenticationResponseInput = z.object(
  {
    ...credential,
    response: z.object({
      clientDataJSON: base64Url,
      authenticatorData: base64Url,
      signature: base64Url,
      userHandle: base64Url.nullish(),
    }),
  },
  expected('the credential of the browser, as JSON'),
);
export type AuthenticationResponse = z.infer<typeof AuthenticationResponseInput>;

const descriptor = z.strictObject({
  id: z.string(),
  type: z.enum(['public-key']),
  transports: z.array(z.string()),
});

/** Options of `navigator.credentials.create`. https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson */
export const CreationOptionsOutput = z.strictObject({
  challenge: z.string(),
  rp: z.strictObject({ name: z.string(), id: z.string() }),
  user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.strictObject({ alg: z.int(), type: z.enum(['public-key']) })),
  timeout: z.int(),
  attestation: z.enum(['none']),
  excludeCredentials: z.array(descriptor),
  authenticatorSelection: z.strictObject({
    residentKey: z.enum(['required']),
    requireResidentKey: z.boolean(),
    userVerification: z.enum(['required']),
  }),
  extensions: z.strictObject({ credProps: z.boolean() }),
  hints: z.array(z.string()),
});
