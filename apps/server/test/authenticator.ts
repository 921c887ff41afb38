import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** Enough of CBOR to say what an authenticator says. */
const cborHead = (major: number, value: number): Buffer =>
  value < 24
    ? Buffer.from([(major << 5) | value])
    : value < 256
      ? Buffer.from([(major << 5) | 24, value])
      : Buffer.from([(major << 5) | 25, value >> 8, value & 255]);

type Cbor = number | string | Buffer | Map<number | string, Cbor>;

const cbor = (value: Cbor): Buffer => {
  if (typeof value === 'number') return value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  const parts = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)]);
  return Buffer.concat([cborHead(5, value.size), ...parts]);
};

const sha256 = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest();
const flags = { present: 1, verified: 4, attested: 64 };

const coordinate = (key: KeyObject, name: 'x' | 'y'): Buffer =>
  Buffer.from(key.export({ format: 'jwk' })[name] ?? '', 'base64url');

const coseKey = (key: KeyObject): Buffer =>
  cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(key, 'x')],
      [-3, coordinate(key, 'y')],
    ]),
  );

export type Answering = {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId?: string;
  /** Whether it asked for a finger, a face or a number. */
  readonly verified?: boolean;
  /** Without it, it counts on; 0 for ever where it never counts. */
  readonly counter?: number;
};

/** A security key in software: one credential, as a browser would pass its answers on. */
export type Authenticator = {
  readonly credentialId: string;
  readonly create: (given: Answering) => Record<string, unknown>;
  readonly get: (given: Answering & { readonly userHandle?: string }) => Record<string, unknown>;
};

export const makeAuthenticator = (counts = true): Authenticator => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  const credentialId = id.toString('base64url');
  let counter = 0;
  const data = (given: Answering, attested: Buffer): Buffer => {
    if (counts) counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(given.counter ?? counter);
    const flag =
      flags.present |
      (given.verified === false ? 0 : flags.verified) |
      (attested.length > 0 ? flags.attested : 0);
    return Buffer.concat([sha256(given.rpId ?? 'localhost'), Buffer.from([flag]), count, attested]);
  };
  const clientData = (type: string, { challenge, origin }: Answering): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const answer = (response: Record<string, unknown>) => ({
    id: credentialId,
    rawId: credentialId,
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });
  return {
    credentialId,
    create: (given) => {
      const length = Buffer.from([0, id.length]);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const attestation = new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', data(given, attested)],
      ]);
      return answer({
        clientDataJSON: clientData('webauthn.create', given).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      });
    },
    get: (given) => {
      const authenticatorData = data(given, Buffer.alloc(0));
      const client = clientData('webauthn.get', given);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(client)]), privateKey);
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
        ...(given.userHandle === undefined
          ? {}
          : { userHandle: Buffer.from(given.userHandle).toString('base64url') }),
      });
    },
  };
};
