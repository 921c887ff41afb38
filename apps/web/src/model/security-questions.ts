import type { Answer, Server } from './server.ts';

export type ListedPasskey = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  readonly counterWentBackAt: string | null;
  readonly backedUp: boolean;
  readonly rpId: string;
};
export type ListedSession = {
  readonly id: string;
  /** Like "Chrome, Android"; empty where nothing is known of it. */
  readonly device: string;
  readonly since: string;
  readonly seenAt: string;
  readonly current: boolean;
};
/** Where passkeys belong, or why there can be none. */
export type PasskeyHome = {
  readonly possible: boolean;
  readonly origin: string;
  readonly because?: 'address-is-a-number' | 'not-encrypted';
};
export type Security = {
  readonly passkeys: readonly ListedPasskey[];
  readonly sessions: readonly ListedSession[];
  readonly hasPassword: boolean;
  readonly registering: 'allowed' | NeededFirst;
  readonly home: PasskeyHome;
};

/** What the server wants before it does what was asked. */
export type NeededFirst = 'confirm' | 'confirm-with-passkey' | 'recovery-needed';
const allNeeded: readonly NeededFirst[] = ['confirm', 'confirm-with-passkey', 'recovery-needed'];

export const neededFirst = (answer: Answer<unknown>): NeededFirst | null => {
  if (answer.kind !== 'refused') return null;
  const needs: unknown = (answer.problem as Record<string, unknown> | null)?.['needs'];
  return allNeeded.find((one) => one === needs) ?? null;
};

/** Why no passkey can be made or used on this page; `null` where it can. */
export type NotHere = 'address-is-a-number' | 'not-encrypted' | 'another-address' | 'no-browser';

export const whyNotHere = (home: PasskeyHome, pageOrigin: string, hasPasskeys: boolean): NotHere | null => {
  if (!home.possible) return home.because ?? 'not-encrypted';
  const [own, page] = [new URL(home.origin), new URL(pageOrigin)];
  if (page.hostname !== own.hostname) return 'another-address';
  return hasPasskeys ? null : 'no-browser';
};

/** The app and its server come together; what does not even have these fields is no answer of ours. */
const having =
  <Value extends object>(...fields: readonly (keyof Value & string)[]) =>
  (body: unknown): Value => {
    if (typeof body !== 'object' || body === null || fields.some((field) => !(field in body))) {
      throw new Error(`an answer with ${fields.join(', ')} was expected`);
    }
    return body as Value;
  };
const nothing = (): void => undefined;
const options = having<{ options: object }>('options');

/** What a person asks and does about their own sign-in. */
export class SecurityQuestions {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  overview = (): Promise<Answer<Security>> =>
    this.#server.asked('/v1/me/security', having<Security>('passkeys', 'sessions', 'home'));

  confirmOptions = (): Promise<Answer<{ readonly options: object }>> =>
    this.#server.asked('/v1/me/confirm/options', options, {});
  confirm = (proof: { password: string } | { credential: object }): Promise<Answer<void>> =>
    this.#server.asked('/v1/me/confirm', nothing, proof);

  registerOptions = (): Promise<Answer<{ readonly options: object }>> =>
    this.#server.asked('/v1/me/passkeys/options', options, {});
  register = (name: string, credential: object): Promise<Answer<void>> =>
    this.#server.asked('/v1/me/passkeys', nothing, { name, credential });
  rename = (id: string, name: string): Promise<Answer<void>> =>
    this.#server.ask('put', `/v1/me/passkeys/${encodeURIComponent(id)}`, { name }, nothing);
  revoke = (id: string): Promise<Answer<void>> =>
    this.#server.asked(`/v1/me/passkeys/${encodeURIComponent(id)}/revoke`, nothing, {});

  endSession = (id: string): Promise<Answer<void>> =>
    this.#server.asked(`/v1/me/sessions/${encodeURIComponent(id)}/end`, nothing, {});
  endOthers = (): Promise<Answer<{ readonly ended: number }>> =>
    this.#server.asked('/v1/me/end-other-sessions', having<{ ended: number }>('ended'), {});

  changePassword = (password: string): Promise<Answer<void>> =>
    this.#server.asked('/v1/me/password', nothing, { password });
}
