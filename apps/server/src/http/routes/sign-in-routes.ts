import { z } from 'zod';
import { minimumPasswordLength, type People } from '../../sign-in/people.ts';
import { invalidFields, problemOf, problemResponse, Refusal, refuse, unreadable } from '../problem.ts';
import { json, type Route } from '../route.ts';
import type { From, SignInTries } from '../../sign-in/sign-in-tries.ts';
import { resetLetter } from '../../mail/letters.ts';
import { deviceOf } from '../../sign-in/security-acts.ts';
import { tellSignedIn } from './passkey-sign-in-routes.ts';
import type { SecurityParts } from './security-parts.ts';

/** A sign-in that anybody may use: shown on the sign-in page of a demo, and nowhere else. */
export type ShownSignIn = {
  readonly name: string;
  readonly role: string;
  readonly email: string;
  readonly password: string;
};

export type SignInParts = {
  readonly people: People;
  readonly tries: SignInTries;
  readonly shownSignIns: readonly ShownSignIn[] | undefined;
  readonly onSignOut: () => void;
  readonly security: SecurityParts;
};

const bodyBytes = 16 * 1024;

const readJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    throw unreadable('The body is not JSON.');
  }
};

/** The sign-in library has its own errors; people and programs get problems, as everywhere. */
const asProblem = (response: Response): Response => {
  switch (response.status) {
    case 401:
      return problemResponse(problemOf('unauthenticated', 'The e-mail address or the password is wrong.'));
    case 403:
      return problemResponse(problemOf('forbidden', 'This request must come from our own pages.'));
    case 404:
      return problemResponse(problemOf('not-found', 'There is nothing at this address.'));
    case 429:
      return problemResponse(problemOf('rate-limited', 'Too many tries.'), { 'retry-after': '60' });
    default:
      return response.status >= 500
        ? problemResponse(problemOf('unavailable', 'Signing in is not possible at the moment.'))
        : problemResponse(
            problemOf('invalid', 'E-mail address and password are needed.', { status: response.status }),
          );
  }
};

/** The body was read already (to bound it), so the library gets a request of its own with the same one. */
const forLibrary = (request: Request, body: Uint8Array): Request =>
  new Request(request.url, {
    method: request.method,
    headers: request.headers,
    ...(body.length === 0 ? {} : { body: body.slice().buffer }),
  });

const passToLibrary = async (people: People, request: Request, body: Uint8Array): Promise<Response> => {
  const response = await people.handle(forLibrary(request, body));
  if (!response.ok) return asProblem(response);
  const headers = new Headers(response.headers);
  headers.set('cache-control', 'no-store');
  return new Response(response.body, { status: response.status, headers });
};

/**
 * The session's token travels in its cookie alone, where no script of the page can read it.
 * @param deviceIsKnown the cookie by which the device is known from then on
 */
const withoutToken = (response: Response, deviceIsKnown: () => string): Response => {
  if (!response.ok) return response;
  const headers = new Headers(response.headers);
  headers.append('set-cookie', deviceIsKnown());
  headers.set('content-type', 'application/json');
  return new Response(JSON.stringify({ done: true }), { status: 200, headers });
};

const emailIn = (body: unknown): string => {
  const parsed = z.looseObject({ email: z.string() }).safeParse(body);
  return parsed.success ? parsed.data.email : '';
};

const limitTries = (tries: SignInTries, body: unknown, from: From): void => {
  const seconds = tries.take(emailIn(body), from);
  if (seconds === undefined) return;
  throw new Refusal(problemOf('rate-limited', `Too many tries. Wait ${String(seconds)} seconds.`), {
    'retry-after': String(seconds),
  });
};

const described = (method: 'get' | 'post', path: string, summary: string) => ({
  method,
  path,
  summary,
  needs: 'nobody' as const,
  maximumBytes: bodyBytes,
  answers: { 200: { description: 'Done' } },
});

/** The session that a sign-in opened, by the cookie it answered with. */
const opened = (people: People, response: Response) => {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return people.sessionOf(new Headers({ cookie: cookies.join('; ') }));
};

const signIn = ({ people, tries, security }: SignInParts): Route => ({
  ...described('post', '/api/auth/sign-in/email', 'Sign in with e-mail address and password.'),
  body: z.object({ email: z.string(), password: z.string() }),
  place: 'sign-in',
  countsItself: true,
  judge: (body, from) => {
    limitTries(tries, readJson(body), from);
  },
  handle: async (request, body, from) => {
    const response = await passToLibrary(people, request, body);
    if (!response.ok) return response;
    // Whoever held the cookie before, planted or forgotten, holds nothing now.
    await people.endSession(request.headers);
    const session = await opened(people, response);
    if (session !== undefined) {
      await tellSignedIn(security, request.headers, session.userId, session.sessionId, 'password');
    }
    security.sessionsEnded();
    return withoutToken(response, () => tries.succeeded(emailIn(readJson(body)), from));
  },
});

const signOut = ({ people, onSignOut, security }: SignInParts): Route => ({
  ...described('post', '/api/auth/sign-out', 'Sign out: the session ends at once, open feeds with it.'),
  countsItself: true,
  handle: async (request, body) => {
    // Before the library: it keeps to itself what the database refused it and answers success all the same; whoever
    // hands a device on must not be told so while the session lives.
    const session = await people.endSession(request.headers);
    const response = await passToLibrary(people, request, body);
    onSignOut();
    if (session === undefined) return response;
    for (const { organisationId } of await security.membershipsOf(session.userId)) {
      await security.tell('signed-out', { ...session, organisationId, device: deviceOf(request.headers) });
    }
    return response;
  },
});

const libraryRoutes = (parts: SignInParts): Route[] => [
  signIn(parts),
  signOut(parts),
  {
    ...described('get', '/api/auth/get-session', 'The session of the cookie, or null.'),
    handle: (request, body) => passToLibrary(parts.people, request, body),
  },
];

const passwordSchema = z.object({
  token: z.string().min(1).max(200),
  password: z
    .string()
    .min(minimumPasswordLength, `must have at least ${String(minimumPasswordLength)} characters`)
    .max(200),
});

const setPassword = ({ people, onSignOut, security }: SignInParts): Route => ({
  ...described(
    'post',
    '/v1/set-password',
    'Choose a password with the token of an invitation. The token works once.',
  ),
  body: passwordSchema,
  place: 'sign-in',
  handle: async (request, body) => {
    const parsed = passwordSchema.safeParse(readJson(body));
    if (!parsed.success) {
      throw new Refusal(
        invalidFields(
          parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
        ),
      );
    }
    const outcome = await people.choosePassword(parsed.data.token, parsed.data.password);
    if (outcome === 'token-unknown') {
      throw new Refusal(
        invalidFields([{ path: 'token', message: 'is not valid, was used already, or has run out' }]),
      );
    }
    onSignOut();
    if (typeof outcome === 'object') {
      const { userId } = outcome;
      for (const { organisationId } of await security.membershipsOf(userId)) {
        const device = deviceOf(request.headers);
        await security.tell('password-set', { organisationId, userId, sessionId: '', device });
        await security.recoveryUsed(organisationId, userId, device);
      }
    }
    return json(200, { done: true });
  },
});

const resetSchema = z.object({ email: z.string().trim().toLowerCase().max(320) });

/**
 * Answered before anything is looked up, and the same for every address: neither the answer nor its time tells who is
 * known here. The letter follows, where there is somebody to send it to.
 */
const requestReset = ({ people, security }: SignInParts): Route => ({
  ...described('post', '/v1/password-reset', 'Have a link to choose a new password mailed to this address.'),
  body: resetSchema,
  place: 'none',
  handle: (request, body) => {
    const parsed = resetSchema.safeParse(readJson(body));
    if (!parsed.success) throw new Refusal(invalidFields([{ path: 'email', message: 'is needed' }]));
    const { email } = parsed.data;
    const device = deviceOf(request.headers);
    if (security.letterLimit.take(email) === undefined) {
      security.letters.later(async () => {
        const made = await people.resetToken(email);
        const memberships = made === undefined ? [] : await security.membershipsOf(made.userId);
        if (made === undefined || memberships.length === 0) return [];
        for (const { organisationId } of memberships) {
          const person = { organisationId, userId: made.userId, sessionId: '', device };
          await security.tell('password-reset-asked', person);
        }
        const link = `${security.home.origin}/set-password?token=${encodeURIComponent(made.token)}`;
        return [resetLetter(email, link)];
      });
    }
    return Promise.resolve(json(200, { done: true }));
  },
});

const demo = ({ shownSignIns }: SignInParts): Route => ({
  ...described('get', '/v1/demo', "The demo's sign-ins, for the sign-in page. 404 when the demo is off."),
  handle: () => {
    if (shownSignIns === undefined) throw refuse('not-found', 'The demo is off.');
    return Promise.resolve(json(200, { signIns: shownSignIns }));
  },
});

export const signInRoutes = (parts: SignInParts): Route[] => [
  ...libraryRoutes(parts),
  setPassword(parts),
  requestReset(parts),
  demo(parts),
];
