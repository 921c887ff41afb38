import { z } from 'zod';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { Unproved } from '../../sign-in/ceremonies.ts';
import { deviceOf } from '../../sign-in/security-acts.ts';
import { invalidFields, problemOf, Refusal, refuse, unreadable } from '../problem.ts';
import { json, type OpenRoute } from '../route.ts';
import { assertionSchema, originsFor, possible, type SecurityParts } from './security-parts.ts';

const bodyBytes = 32 * 1024;
const bodySchema = z.object({ credential: assertionSchema });

const readCredential = (body: Uint8Array): AuthenticationResponseJSON => {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw unreadable('The body is not JSON.');
  }
  const parsed = bodySchema.safeParse(value);
  if (parsed.success) return parsed.data.credential as AuthenticationResponseJSON;
  throw new Refusal(
    invalidFields(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))),
  );
};

/** One sentence for everything a stranger could learn from; a copy is told to whoever holds the real key or its copy. */
export const whyNotProved = (because: Unproved): string =>
  because === 'copied'
    ? 'This passkey was refused: it counts as if there were a copy of it. Revoke it, and tell an admin.'
    : 'This passkey does not open anything here. It may have been revoked, or the request may be too old.';

const options = (parts: SecurityParts): OpenRoute => ({
  method: 'post',
  path: '/v1/passkey-sign-in/options',
  summary: 'What a browser needs to ask for a passkey. The challenge in it works once, within five minutes.',
  needs: 'nobody',
  maximumBytes: 1_024,
  place: 'none',
  answers: { 200: { description: '{options}, for `navigator.credentials.get`' } },
  handle: async () => json(200, { options: await possible(parts).assertionOptions('sign-in', '') }),
});

/** Whom a session was opened for is audited in every organisation that they belong to. */
export const tellSignedIn = async (
  { membershipsOf, tell }: SecurityParts,
  headers: Headers,
  userId: string,
  sessionId: string,
  by: 'password' | 'passkey',
): Promise<void> => {
  for (const { organisationId } of await membershipsOf(userId)) {
    await tell('signed-in', { organisationId, userId, sessionId, device: deviceOf(headers) }, { by });
  }
};

const noteCopy = async (parts: SecurityParts, request: Request, credentialId: string): Promise<void> => {
  const passkey = await parts.passkeys.byCredentialId(credentialId);
  if (passkey === undefined) return;
  const { userId, id: passkeyId } = passkey;
  for (const { organisationId } of await parts.membershipsOf(userId)) {
    const person = { organisationId, userId, sessionId: '', device: deviceOf(request.headers) };
    await parts.tell('passkey-refused', person, { passkeyId });
  }
};

const signIn = (parts: SecurityParts): OpenRoute => ({
  method: 'post',
  path: '/v1/passkey-sign-in',
  summary: 'Sign in with a passkey: no address and no password is asked for.',
  needs: 'nobody',
  maximumBytes: bodyBytes,
  place: 'sign-in',
  body: bodySchema,
  answers: { 200: { description: 'Done: the session is in the cookie' } },
  judge: (body) => {
    const seconds = parts.tries.take(`passkey ${readCredential(body).id}`);
    if (seconds === undefined) return;
    throw new Refusal(problemOf('rate-limited', `Too many tries. Wait ${String(seconds)} seconds.`), {
      'retry-after': String(seconds),
    });
  },
  handle: async (request, body) => {
    const credential = readCredential(body);
    const asserted = await possible(parts).asserted('sign-in', '', originsFor(request, parts), credential);
    if ('refused' in asserted) {
      if (asserted.refused === 'copied') await noteCopy(parts, request, credential.id);
      throw refuse('unauthenticated', whyNotProved(asserted.refused), { final: false });
    }
    const { passkey } = asserted;
    const { people } = parts;
    // Whoever held the cookie before, planted or forgotten, holds nothing now.
    await people.endSession(request.headers);
    const { response, sessionId } = await people.openSession(request.headers, passkey.userId);
    await people.sessions.prove(sessionId, 'passkey', passkey.id);
    await tellSignedIn(parts, request.headers, passkey.userId, sessionId, 'passkey');
    parts.sessionsEnded();
    const answer = json(200, { done: true });
    for (const cookie of response.headers.getSetCookie()) answer.headers.append('set-cookie', cookie);
    return answer;
  },
});

const ways = ({ home, mailWay }: SecurityParts): OpenRoute => ({
  method: 'get',
  path: '/v1/sign-in-ways',
  summary:
    'How people can sign in here: whether passkeys are possible and where, whether a link can be mailed.',
  needs: 'nobody',
  maximumBytes: 0,
  place: 'none',
  answers: { 200: { description: '{passkeys: {possible, origin, rpId?, because?}, resetByMail}' } },
  handle: () => Promise.resolve(json(200, { passkeys: home, resetByMail: mailWay !== 'nowhere' })),
});

export const passkeySignInRoutes = (parts: SecurityParts): OpenRoute[] => [
  ways(parts),
  options(parts),
  signIn(parts),
];
