import { client } from './client.ts';
import { sendSession } from './session.ts';

/** True if the browser knows passkeys and their JSON format. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Signs in with a passkey that the person chooses in the browser's dialog. */
export async function signInWithPasskey(): Promise<void> {
  const options: PublicKeyCredentialRequestOptionsJSON = await (await sendSession('POST', '/passkey/begin', {})).json();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.');
  await sendSession('POST', '/passkey', { response: credential.toJSON() });
}

/** Adds a passkey of this device to the account. */
export async function addPasskey(): Promise<void> {
  const options = await client.account.passkey.begin.mutate();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.');
  const { id, rawId, response } = credential.toJSON();
  if (!('attestationObject' in response)) throw new Error('The browser returned no new passkey.');
  await client.account.passkey.confirm.mutate({ response: { id, rawId, type: 'public-key', response } });
}

/** True if the person closed the browser's dialog. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'NotAllowedError';
