import { generateKeyPairSync, sign } from 'node:crypto';

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const objectId = (text: string): Buffer => der(0x06, hex(text));

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const commonName = sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from('localhost')))));
const validFor = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')));
const isAuthority = sequence(
  objectId('551d13'),
  der(0x01, hex('ff')),
  der(0x04, sequence(der(0x01, hex('ff')))),
);
const names = sequence(objectId('551d11'), der(0x04, sequence(der(0x82, Buffer.from('localhost')))));

const pem = (body: Uint8Array): string =>
  ['-----BEGIN CERTIFICATE-----', Buffer.from(body).toString('base64'), '-----END CERTIFICATE-----', ''].join(
    '\n',
  );

/** A certificate for `localhost`, signed by itself, made anew so that no key lies in the repository. */
export const selfSigned = (): { readonly key: string; readonly cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const toBeSigned = sequence(
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    ecdsaWithSha256,
    commonName,
    validFor,
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isAuthority, names)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(sequence(toBeSigned, ecdsaWithSha256, signature)),
  };
};
