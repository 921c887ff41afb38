import { isFresh } from '@holdfast/engine';
import type { PasskeyRecord } from '@holdfast/engine/postgres';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { browserName } from '../../sign-in/browser-name.ts';
import { minimumPasswordLength } from '../../sign-in/people.ts';
import type { RegisterOutcome } from '../../sign-in/passkey-acts.ts';
import { changeLetter, type SignInChange } from '../../mail/letters.ts';
import { invalidFields, problemOf, Refusal, refuse } from '../problem.ts';
import { guarded, json, type Call, type GuardedRoute } from '../route.ts';
import { whyNotProved } from './passkey-sign-in-routes.ts';
import {
  assertionSchema,
  confirmFirst,
  originsFor,
  personOf,
  possible,
  proofOf,
  registrationSchema,
  sessionOf,
  type SecurityParts,
} from './security-parts.ts';

const passkeyName = z.string().trim().min(1, 'is needed').max(60, 'must have at most 60 characters');

const described = (
  method: 'get' | 'post' | 'put',
  path: string,
  summary: string,
  answer: string,
): Pick<GuardedRoute, 'method' | 'path' | 'summary' | 'needs' | 'answers' | 'forbids'> => ({
  method,
  path,
  summary,
  needs: 'any',
  answers: { 200: { description: answer }, 403: { description: '`needs` says how to confirm first' } },
  forbids: (identity) =>
    identity.session === undefined ? 'This is for people who are signed in: no key may do it.' : undefined,
});

const shownPasskey = (passkey: PasskeyRecord) => ({
  id: passkey.id,
  name: passkey.name,
  createdAt: passkey.createdAt.toISOString(),
  lastUsedAt: passkey.lastUsedAt?.toISOString() ?? null,
  revokedAt: passkey.revokedAt?.toISOString() ?? null,
  counterWentBackAt: passkey.counterWentBackAt?.toISOString() ?? null,
  backedUp: passkey.backedUp,
  // Another name than the one this is reached by now: kept, and of no use here.
  rpId: passkey.rpId,
});

const overview = (parts: SecurityParts): GuardedRoute =>
  guarded({
    ...described(
      'get',
      '/v1/me/security',
      'How I sign in: my passkeys, revoked ones too, and my sessions.',
      '{passkeys, sessions, hasPassword, confirmed, registering, home}',
    ),
    handle: async (call) => {
      const person = personOf(call);
      const { people, passkeys, acts, home } = parts;
      const proof = await proofOf(parts, person.sessionId);
      const [mine, sessions, hasPassword, registering] = await Promise.all([
        passkeys.ofPerson(person.userId),
        people.sessions.ofPerson(person.userId),
        people.hasPassword(person.userId),
        acts.mayRegister(person, proof),
      ]);
      return json(200, {
        passkeys: mine.map(shownPasskey),
        sessions: sessions.map(({ id, userAgent, since, seenAt }) => ({
          id,
          device: browserName(userAgent),
          since: since.toISOString(),
          seenAt: seenAt.toISOString(),
          current: id === person.sessionId,
        })),
        hasPassword,
        confirmed: isFresh(proof, Date.now()),
        registering,
        home,
      });
    },
  });

const confirmBody = z.union(
  [z.strictObject({ password: z.string().min(1).max(200) }), z.strictObject({ credential: assertionSchema })],
  'must be {password} or {credential}',
);

const limitTries = ({ tries }: SecurityParts, userId: string): void => {
  const seconds = tries.take(`confirm ${userId}`);
  if (seconds === undefined) return;
  throw new Refusal(problemOf('rate-limited', `Too many tries. Wait ${String(seconds)} seconds.`), {
    'retry-after': String(seconds),
  });
};

const confirm = (parts: SecurityParts): GuardedRoute[] => [
  guarded({
    ...described(
      'post',
      '/v1/me/confirm/options',
      'What a browser needs to ask for one of my passkeys, to confirm that it is me.',
      '{options}, for `navigator.credentials.get`',
    ),
    handle: async (call) => {
      const { sessionId, userId } = sessionOf(call);
      const known = await parts.passkeys.ofPerson(userId);
      return json(200, { options: await possible(parts).assertionOptions('confirm', sessionId, known) });
    },
  }),
  guarded({
    ...described(
      'post',
      '/v1/me/confirm',
      'Confirm that it is me, with my password or a passkey: good for ten minutes, in this session.',
      'Done',
    ),
    body: confirmBody,
    handle: async (call) => {
      const { sessionId, userId } = sessionOf(call);
      const { people } = parts;
      limitTries(parts, userId);
      if ('password' in call.body) {
        if (!(await people.isPassword(userId, call.body.password))) {
          throw new Refusal(invalidFields([{ path: 'password', message: 'is not your password' }]));
        }
        await people.sessions.prove(sessionId, 'password', null);
        return json(200, { done: true });
      }
      const credential = call.body.credential as AuthenticationResponseJSON;
      const asserted = await possible(parts).asserted(
        'confirm',
        sessionId,
        originsFor(call.request, parts),
        credential,
      );
      // Still signed in, so no 401: that would send the page to its door.
      if ('refused' in asserted || asserted.passkey.userId !== userId) {
        if ('refused' in asserted && asserted.refused === 'copied') {
          const passkey = await parts.passkeys.byCredentialId(credential.id);
          await parts.tell('passkey-refused', personOf(call), { passkeyId: passkey?.id ?? '' });
        }
        const message = whyNotProved('refused' in asserted ? asserted.refused : 'unknown-passkey');
        throw new Refusal(invalidFields([{ path: 'credential', message }]));
      }
      await people.sessions.prove(sessionId, 'passkey', asserted.passkey.id);
      return json(200, { done: true });
    },
  }),
];

/** Told to the person, whoever did it, at the address they have in the organisation. */
const announce = (parts: SecurityParts, userId: string, change: SignInChange): void => {
  parts.letters.later(async () => {
    const [membership] = await parts.membershipsOf(userId);
    return membership === undefined ? [] : [changeLetter(membership.email, change, parts.home.origin)];
  });
};

const because = (reason: string, sentence: string): Error =>
  refuse('not-eligible', sentence, { reasons: [{ reason, sentence }] });

const notRegistered = (refused: Extract<RegisterOutcome, { refused: unknown }>['refused']): Error => {
  switch (refused) {
    case 'known':
      return because('known', 'This passkey is registered already.');
    case 'too-many':
      return because('too-many', 'You have 20 passkeys. Revoke one that you no longer use first.');
    case 'spent':
      return because('spent', 'This answer was used already. Ask for a new one.');
    case 'confirm':
    case 'confirm-with-passkey':
    case 'recovery-needed':
      return confirmFirst(refused);
  }
};

const register = (parts: SecurityParts): GuardedRoute[] => [
  guarded({
    ...described(
      'post',
      '/v1/me/passkeys/options',
      'What a browser needs to make a passkey for me. The challenge in it works once, in this session.',
      '{options}, for `navigator.credentials.create`',
    ),
    handle: async (call) => {
      const ceremonies = possible(parts);
      const person = personOf(call);
      const judged = await parts.acts.mayRegister(person, await proofOf(parts, person.sessionId));
      if (judged !== 'allowed') throw confirmFirst(judged);
      const memberships = await parts.membershipsOf(person.userId);
      const known = await parts.passkeys.ofPerson(person.userId);
      const { name } = call.who.actor;
      const email = memberships[0]?.email ?? name;
      const { userId, sessionId } = person;
      const options = await ceremonies.registrationOptions(sessionId, { userId, email, name }, known);
      return json(200, { options });
    },
  }),
  guarded({
    ...described(
      'post',
      '/v1/me/passkeys',
      'Register the passkey that a browser made.',
      '{id} of the passkey',
    ),
    body: z.object({ name: passkeyName, credential: registrationSchema }),
    handle: async (call) => {
      const person = personOf(call);
      const given = await possible(parts).registered(
        person.sessionId,
        originsFor(call.request, parts),
        call.body.credential as RegistrationResponseJSON,
      );
      if (given === undefined) {
        throw new Refusal(
          invalidFields([{ path: 'credential', message: 'is no answer to what this session asked for' }]),
        );
      }
      const proof = await proofOf(parts, person.sessionId);
      const outcome = await parts.acts.register(person, proof, call.body.name, given);
      if ('refused' in outcome) throw notRegistered(outcome.refused);
      announce(parts, person.userId, 'passkey-registered');
      return json(200, { id: outcome.registered });
    },
  }),
];

const noSuch = (what: string): Error => refuse('not-found', `You have no such ${what}.`);

const change = (parts: SecurityParts): GuardedRoute[] => [
  guarded({
    ...described('put', '/v1/me/passkeys/{id}', 'Give one of my passkeys another name.', 'Done'),
    pathId: 'outside',
    body: z.object({ name: passkeyName }),
    handle: async (call) => {
      if (!(await parts.acts.rename(personOf(call), call.id, call.body.name))) throw noSuch('passkey');
      return json(200, { done: true });
    },
  }),
  guarded({
    ...described(
      'post',
      '/v1/me/passkeys/{id}/revoke',
      'Revoke one of my passkeys, for good. The sessions that it opened end, but for this one.',
      'Done, also when it was revoked before',
    ),
    pathId: 'outside',
    handle: async (call) => {
      const person = personOf(call);
      const outcome = await parts.acts.revoke(person, await proofOf(parts, person.sessionId), call.id);
      if (outcome === 'confirm') throw confirmFirst('confirm');
      if (outcome === 'unknown') throw noSuch('passkey');
      await parts.people.sessions.endOfPasskey(person.userId, call.id, person.sessionId);
      parts.sessionsEnded();
      if (outcome === 'revoked') announce(parts, person.userId, 'passkey-revoked');
      return json(200, { done: true });
    },
  }),
];

const sessions = (parts: SecurityParts): GuardedRoute[] => [
  guarded({
    ...described('post', '/v1/me/sessions/{id}/end', 'End one of my sessions, wherever it is.', 'Done'),
    pathId: 'outside',
    handle: async (call) => {
      const person = personOf(call);
      if (!(await parts.people.sessions.end(person.userId, call.id))) throw noSuch('session');
      parts.sessionsEnded();
      await parts.tell('session-revoked', person, { endedSessionId: call.id });
      return json(200, { done: true });
    },
  }),
  guarded({
    ...described(
      'post',
      '/v1/me/end-other-sessions',
      'Sign me out everywhere but here.',
      '{ended}: how many',
    ),
    handle: async (call) => {
      const person = personOf(call);
      const ended = await parts.people.sessions.endOthers(person.userId, person.sessionId);
      parts.sessionsEnded();
      if (ended > 0) await parts.tell('sessions-revoked', person, { ended });
      return json(200, { ended });
    },
  }),
];

const password = (parts: SecurityParts): GuardedRoute =>
  guarded({
    ...described('post', '/v1/me/password', 'Change my password. All my other sessions end.', 'Done'),
    body: z.object({
      password: z
        .string()
        .min(minimumPasswordLength, `must have at least ${String(minimumPasswordLength)} characters`)
        .max(200),
    }),
    handle: async (call: Call<{ password: string }, unknown>) => {
      const person = personOf(call);
      const proof = await proofOf(parts, person.sessionId);
      if (!isFresh(proof, Date.now())) throw confirmFirst('confirm');
      await parts.people.setPassword(person.userId, call.body.password);
      await parts.people.sessions.endOthers(person.userId, person.sessionId);
      parts.sessionsEnded();
      await parts.tell('password-set', person);
      announce(parts, person.userId, 'password-changed');
      return json(200, { done: true });
    },
  });

/** What a person does with their own sign-in. Whoever may do it for somebody else has routes of their own. */
export const securityRoutes = (parts: SecurityParts): GuardedRoute[] => [
  overview(parts),
  ...confirm(parts),
  ...register(parts),
  ...change(parts),
  ...sessions(parts),
  password(parts),
];
