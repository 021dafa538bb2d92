import { randomBytes } from 'node:crypto';
import { Integer, OctetString } from 'asn1js';
import {
  AlgorithmIdentifier,
  Certificate,
  ExtKeyUsage,
  MessageImprint,
  SignedData,
  TSTInfo,
  TimeStampReq,
  TimeStampResp,
} from 'pkijs';

// Object identifiers. https://www.rfc-editor.org/rfc/rfc3161, https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.12
const SHA256 = '2.16.840.1.101.3.4.2.1';
const DATA = '1.2.840.113549.1.7.1';
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';

/** Statuses of a response with a time stamp: granted, and granted with modifications. */
const GRANTED = [0, 1];

/** Makes 16 random bytes that are a positive integer without a leading zero, so that DER has exactly these bytes. */
export const newNonce = (): Buffer => Buffer.from([0x40, ...randomBytes(15)]);

/** Copies bytes into a buffer of their own. */
const copy = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

/** Writes a request for a time stamp of a digest, in DER. It asks for the certificate of the authority. */
export function timestampRequest(sha256: Buffer, nonce: Buffer): ArrayBuffer {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA256 }),
      hashedMessage: new OctetString({ valueHex: copy(sha256) }),
    }),
    nonce: new Integer({ valueHex: copy(nonce) }),
    certReq: true,
  });
  return request.toSchema().toBER();
}

/**
 * Verifies a response in DER: status, digest, nonce, signature, and the purpose of the certificate. It does not verify who issued
 * the certificate.
 * @returns the first error; undefined if the time stamp is valid
 */
export async function timestampError(response: Buffer, sha256: Buffer, nonce: Buffer): Promise<string | undefined> {
  try {
    const { status, timeStampToken } = TimeStampResp.fromBER(copy(response));
    if (!GRANTED.includes(status.status)) return `the server rejected the request with status ${status.status}`;
    if (timeStampToken?.contentType !== SIGNED_DATA) return MALFORMED;
    const signed = new SignedData({ schema: timeStampToken.content });
    const { eContent, eContentType } = signed.encapContentInfo;
    if (eContent === undefined || eContentType !== TST_INFO) return MALFORMED;
    const { messageImprint, nonce: sentNonce } = TSTInfo.fromBER(eContent.getValue());
    const isSha256 = messageImprint.hashAlgorithm.algorithmId === SHA256;
    if (!isSha256 || !sha256.equals(messageImprint.hashedMessage.valueBlock.valueHexView))
      return 'the response is for another digest';
    if (sentNonce === undefined || !nonce.equals(sentNonce.valueBlock.valueHexView))
      return 'the response has another nonce';
    return await signatureError(signed);
  } catch {
    return MALFORMED;
  }
}

const MALFORMED = 'the response is malformed';
const INVALID_SIGNATURE = 'the signature is invalid';

async function signatureError(signed: SignedData): Promise<string | undefined> {
  // pkijs would hash the whole data, to compare them with the imprint, which is verified above.
  signed.encapContentInfo.eContentType = DATA;
  const { signatureVerified, signerCertificate } = await signed
    .verify({ signer: 0, extendedMode: true })
    .catch(() => ({ signatureVerified: false, signerCertificate: null }));
  if (signatureVerified !== true || !(signerCertificate instanceof Certificate)) return INVALID_SIGNATURE;
  return isForTimeStamping(signerCertificate) ? undefined : 'the certificate is not for time stamps only';
}

/** The extension must be critical and have this purpose only. https://www.rfc-editor.org/rfc/rfc3161#section-2.3 */
const isForTimeStamping = ({ extensions = [] }: Certificate): boolean =>
  extensions.some(
    ({ extnID, critical, parsedValue }) =>
      extnID === EXTENDED_KEY_USAGE &&
      critical &&
      parsedValue instanceof ExtKeyUsage &&
      parsedValue.keyPurposes.length === 1 &&
      parsedValue.keyPurposes[0] === TIME_STAMPING,
  );
