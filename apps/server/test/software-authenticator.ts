import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** What CBOR can say here: as much as a passkey needs. */
type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor>;

const head = (major: number, value: number): Buffer => {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 0x1_00) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
};

const cbor = (value: Cbor): Buffer => {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const members = [...value].flatMap(([name, member]) => [cbor(name), cbor(member)]);
  return Buffer.concat([head(5, value.size), ...members]);
};

const hash = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();
const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

const coseKey = (publicKey: KeyObject): Buffer => {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return cbor(
    new Map<number, Cbor>([
      [1, 2], // an elliptic curve
      [3, -7], // ES256
      [-1, 1], // P-256
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
};

/** How one use differs from what an honest browser and an honest authenticator do. */
export type Use = {
  /** Base64url. */
  readonly challenge: string;
  readonly rpId?: string;
  readonly origin?: string;
  readonly type?: 'webauthn.get' | 'webauthn.create';
  readonly crossOrigin?: boolean;
  readonly userPresent?: boolean;
  readonly userVerified?: boolean;
  /** Signature counter; without one it goes on counting, or stays 0 where it does not count. */
  readonly counter?: number;
};

export type SoftwareAuthenticatorOptions = {
  readonly rpId?: string;
  readonly origin?: string;
  /** Synced passkeys do not count, security keys do. */
  readonly counts?: boolean;
};

/** A passkey in software: P-256, no attestation. Speaks the JSON that browsers send. */
export class SoftwareAuthenticator {
  readonly credentialId = asText(randomBytes(32));
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #options: Required<SoftwareAuthenticatorOptions>;
  #counter = 0;

  constructor(options: SoftwareAuthenticatorOptions = {}) {
    this.#options = { rpId: 'localhost', origin: 'http://localhost:4780', counts: false, ...options };
  }

  /** COSE key, as a server stores it. */
  get publicKey(): Uint8Array {
    return coseKey(this.#keys.publicKey);
  }

  /** `navigator.credentials.create()` as JSON. */
  register(use: Use) {
    const id = Buffer.from(this.credentialId, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 255]);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, this.publicKey]);
    const authenticatorData = Buffer.concat([this.#authenticatorData(use, 0x40), attested]);
    const attestation = new Map<string, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authenticatorData],
    ]);
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: 'public-key' as const,
      clientExtensionResults: {},
      response: {
        clientDataJSON: asText(this.#clientData({ type: 'webauthn.create', ...use })),
        attestationObject: asText(cbor(attestation)),
        transports: ['internal' as const],
      },
    };
  }

  /** `navigator.credentials.get()` as JSON. */
  get(use: Use) {
    if (this.#options.counts) this.#counter += 1;
    const authenticatorData = this.#authenticatorData(use, 0);
    const clientData = this.#clientData({ type: 'webauthn.get', ...use });
    const signed = Buffer.concat([authenticatorData, hash(clientData)]);
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: 'public-key' as const,
      clientExtensionResults: {},
      response: {
        authenticatorData: asText(authenticatorData),
        clientDataJSON: asText(clientData),
        signature: asText(sign('sha256', signed, this.#keys.privateKey)),
      },
    };
  }

  #clientData({ type, challenge, origin, crossOrigin = false }: Use): Buffer {
    return Buffer.from(
      JSON.stringify({ type, challenge, origin: origin ?? this.#options.origin, crossOrigin }),
    );
  }

  #authenticatorData(use: Use, more: number): Buffer {
    const { rpId = this.#options.rpId, userPresent = true, userVerified = true } = use;
    const flags = (userPresent ? 1 : 0) | (userVerified ? 4 : 0) | more;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(use.counter ?? this.#counter);
    return Buffer.concat([hash(rpId), Buffer.from([flags]), counter]);
  }
}
