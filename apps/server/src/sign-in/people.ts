import { createHmac, randomBytes } from 'node:crypto';
import { betterAuth } from 'better-auth';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { z } from 'zod';
import { isOwnOrigin } from '../http/same-origin.ts';
import { socketOf, underRole } from './access-store.ts';
import { cookieValue } from './cookie-value.ts';
import { sessionsOver, type Sessions } from './sessions.ts';
import * as tables from './sign-in-tables.ts';

const dayMs = 86_400_000;
const linkValidForMs = 7 * dayMs;
const hourMs = 3_600_000;
const sessionSeconds = (30 * dayMs) / 1_000;
export const minimumPasswordLength = 10;

export type Session = {
  readonly sessionId: string;
  readonly userId: string;
  /** The organisation that was chosen in this session; `null` while none was. It may have been left since. */
  readonly organisationId: string | null;
};

export type EndedSession = Pick<Session, 'sessionId' | 'userId'>;

/** People who sign in with e-mail and password. There is no public sign-up: the command line adds them. */
export type People = {
  /** The sign-in library's own endpoints under `/api/auth`. */
  readonly handle: (request: Request) => Promise<Response>;
  readonly sessionOf: (headers: Headers) => Promise<Session | undefined>;
  /**
   * When this resolves, the session of this cookie is no more, or there was none. Says which one it was.
   * @throws the database's error where that could not be made sure of
   */
  readonly endSession: (headers: Headers) => Promise<EndedSession | undefined>;
  /** From the next request on this session is for that organisation, and new ones of this person begin there. */
  readonly chooseOrganisation: (session: Session, organisationId: string) => Promise<void>;
  /** Finds or makes a person. `token` sets a first password once; absent where there is a password already. */
  readonly invite: (
    email: string,
    name: string,
  ) => Promise<{ readonly userId: string; readonly token: string | undefined }>;
  readonly personByEmail: (email: string) => Promise<string | undefined>;
  /**
   * A new person with the password they chose. `undefined` where somebody has this address already: their password is
   * never touched here, since whoever holds an invitation is not known to be them.
   */
  readonly makePerson: (email: string, name: string, password: string) => Promise<string | undefined>;
  /** Links to set one that were sent before work no longer. Ends no session. */
  readonly setPassword: (userId: string, password: string) => Promise<void>;
  /** Uses up a token, and every other one the person was sent. Ends every session the person had. */
  readonly choosePassword: (
    token: string,
    password: string,
  ) => Promise<{ readonly userId: string } | 'token-unknown' | 'too-short'>;
  /** A token that sets a password once, within the hour; `undefined` where nobody has this address. */
  readonly resetToken: (
    email: string,
  ) => Promise<{ readonly userId: string; readonly token: string } | undefined>;
  readonly hasPassword: (userId: string) => Promise<boolean>;
  readonly isPassword: (userId: string, password: string) => Promise<boolean>;
  /** A new session with a token of its own for a person who has proved by other means who they are. */
  readonly openSession: (
    headers: Headers,
    userId: string,
  ) => Promise<{ readonly response: Response; readonly sessionId: string }>;
  readonly sessions: Sessions;
  readonly close: () => Promise<void>;
};

export type PeopleOptions = {
  readonly url: string;
  readonly publicOrigin: string;
  /** Shared by every process on this database. */
  readonly sharedKey: Uint8Array;
  readonly maximum?: number;
  readonly hashing?: PasswordHashing;
};

/** The slow part of a sign-in. It is done for an address that nobody has as well, so that the time tells nothing. */
export type PasswordHashing = {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (given: { readonly hash: string; readonly password: string }) => Promise<boolean>;
};

export const passwordHashing: PasswordHashing = { hash: hashPassword, verify: verifyPassword };

const ownOrigins = (request: Request | undefined, publicOrigin: string): string[] => {
  const origin = request?.headers.get('origin');
  const host = request?.headers.get('host') ?? undefined;
  return origin && isOwnOrigin(origin, publicOrigin, host) ? [publicOrigin, origin] : [publicOrigin];
};

/** Not served over HTTP: opens a session as the library does after it has checked a password itself. */
const sessionOpener = {
  id: 'holdfast-session-opener',
  endpoints: {
    openSession: createAuthEndpoint(
      { method: 'POST', body: z.object({ userId: z.string() }), metadata: { SERVER_ONLY: true } },
      async (context) => {
        const { internalAdapter } = context.context;
        const user = await internalAdapter.findUserById(context.body.userId);
        if (!user) throw new Error('nobody has this ID');
        const session = await internalAdapter.createSession(user.id);
        await setSessionCookie(context, { session, user });
        return context.json({ sessionId: session.id });
      },
    ),
  },
};

/** `__Host-`: over HTTPS the browser takes the cookie from this very host alone, encrypted, for every path. */
const cookieSettings = (publicOrigin: string) => {
  const isEncrypted = publicOrigin.startsWith('https://');
  return {
    cookiePrefix: isEncrypted ? '__Host-holdfast' : 'holdfast',
    // The library's own prefix for secure cookies is the weaker `__Secure-`.
    useSecureCookies: false,
    defaultCookieAttributes: {
      secure: isEncrypted,
      httpOnly: true,
      sameSite: 'lax' as const,
      path: '/',
    },
  };
};

const makeLibrary = (driver: postgres.Sql, options: PeopleOptions) =>
  betterAuth({
    baseURL: options.publicOrigin,
    basePath: '/api/auth',
    secret: createHmac('sha256', options.sharedKey).update('holdfast sign-in').digest('hex'),
    database: drizzleAdapter(drizzle(driver), { provider: 'pg', schema: tables }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: minimumPasswordLength,
      maxPasswordLength: 200,
      revokeSessionsOnPasswordReset: true,
      password: options.hashing ?? passwordHashing,
    },
    session: {
      expiresIn: sessionSeconds,
      updateAge: dayMs / 1_000,
      additionalFields: { organisationId: { type: 'string', required: false, input: false } },
    },
    databaseHooks: {
      session: {
        create: {
          before: async (session) => {
            const [row] =
              await driver`select "lastOrganisationId" as last from sign_in."user" where id = ${session.userId}`;
            return {
              data: { ...session, organisationId: (row?.['last'] as string | null | undefined) ?? null },
            };
          },
        },
      },
    },
    verification: { storeIdentifier: 'hashed' },
    trustedOrigins: (request) => ownOrigins(request, options.publicOrigin),
    advanced: {
      ...cookieSettings(options.publicOrigin),
      ipAddress: { disableIpTracking: true },
    },
    plugins: [sessionOpener],
    // Limits are ours (one place for all routes); nothing is reported to anybody.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    // Its router prints what it did not foresee, and a refused insert of a session repeats its token: we log it.
    onAPIError: { throw: true },
  });

/** The library signs the session's token: `token.signature`, encoded for a cookie. */
const tokenIn = (value: string): string | undefined => {
  try {
    const signed = decodeURIComponent(value);
    return signed.slice(0, signed.lastIndexOf('.'));
  } catch {
    return undefined;
  }
};

const tokenOf = async (library: Library, headers: Headers): Promise<string | undefined> => {
  const { authCookies } = await library.$context;
  const value = cookieValue(headers.get('cookie'), authCookies.sessionToken.name);
  return value === undefined ? undefined : tokenIn(value);
};

const endSession = async (
  library: Library,
  driver: postgres.Sql,
  headers: Headers,
): Promise<EndedSession | undefined> => {
  const token = await tokenOf(library, headers);
  if (token === undefined) return undefined;
  const [row] = await driver<{ id: string; user: string }[]>`
    delete from sign_in.session where token = ${token} returning id, "userId" as user`;
  return row === undefined ? undefined : { sessionId: row.id, userId: row.user };
};

type Library = ReturnType<typeof makeLibrary>;

const passwordsOf = (
  library: Library,
  driver: postgres.Sql,
): Pick<People, 'setPassword' | 'hasPassword' | 'isPassword'> => {
  const hashOf = async (userId: string): Promise<string | undefined> => {
    const accounts = await (await library.$context).internalAdapter.findAccounts(userId);
    return accounts.find(({ providerId }) => providerId === 'credential')?.password ?? undefined;
  };
  return {
    hasPassword: async (userId) => (await hashOf(userId)) !== undefined,
    isPassword: async (userId, password) => {
      const hash = await hashOf(userId);
      return hash !== undefined && (await library.$context).password.verify({ hash, password });
    },
    setPassword: async (userId, password) => {
      const { internalAdapter, password: hashing } = await library.$context;
      const hash = await hashing.hash(password);
      // A link that was sent before must not undo it.
      await driver`delete from sign_in.verification where value = ${userId}`;
      const accounts = await internalAdapter.findAccounts(userId);
      if (accounts.some(({ providerId }) => providerId === 'credential')) {
        await internalAdapter.updatePassword(userId, hash);
      } else {
        await internalAdapter.createAccount({
          userId,
          providerId: 'credential',
          accountId: userId,
          password: hash,
        });
      }
    },
  };
};

const tokenFor = async (library: Library, userId: string, validForMs: number): Promise<string> => {
  const token = randomBytes(24).toString('base64url');
  await (
    await library.$context
  ).internalAdapter.createVerificationValue({
    identifier: `reset-password:${token}`,
    value: userId,
    expiresAt: new Date(Date.now() + validForMs),
  });
  return token;
};

type Links = Pick<People, 'invite' | 'resetToken' | 'choosePassword'>;

const linksOf = (library: Library, setPassword: People['setPassword']): Links => ({
  invite: async (email, name) => {
    const { internalAdapter } = await library.$context;
    const known = await internalAdapter.findUserByEmail(email, { includeAccounts: true });
    const person =
      known?.user ??
      (await internalAdapter.createUser({ email, name, emailVerified: true }, { method: 'email-password' }));
    const hasPassword = known?.accounts.some((account) => account.providerId === 'credential') ?? false;
    if (hasPassword) return { userId: person.id, token: undefined };
    return { userId: person.id, token: await tokenFor(library, person.id, linkValidForMs) };
  },
  resetToken: async (email) => {
    const known = await (await library.$context).internalAdapter.findUserByEmail(email);
    if (known === null) return undefined;
    return { userId: known.user.id, token: await tokenFor(library, known.user.id, hourMs) };
  },
  choosePassword: async (token, password) => {
    if (password.length < minimumPasswordLength) return 'too-short';
    const { internalAdapter } = await library.$context;
    const found = await internalAdapter.consumeVerificationValue(`reset-password:${token}`);
    if (!found) return 'token-unknown';
    await setPassword(found.value, password);
    await internalAdapter.deleteUserSessions(found.value);
    return { userId: found.value };
  },
});

type Joining = Pick<People, 'personByEmail' | 'makePerson'>;

const membersOf = (library: Library, setPassword: People['setPassword']): Joining => ({
  personByEmail: async (email) => {
    const context = await library.$context;
    return (await context.internalAdapter.findUserByEmail(email))?.user.id;
  },
  makePerson: async (email, name, password) => {
    const context = await library.$context;
    if ((await context.internalAdapter.findUserByEmail(email)) !== null) return undefined;
    const method = { method: 'email-password' as const };
    const person = await context.internalAdapter.createUser({ email, name, emailVerified: true }, method);
    await setPassword(person.id, password);
    return person.id;
  },
});

const openSessionWith =
  (library: Library): People['openSession'] =>
  async (headers, userId) => {
    const response = await library.api.openSession({ headers, body: { userId }, asResponse: true });
    const body = (await response.clone().json()) as { sessionId: string };
    return { response, sessionId: body.sessionId };
  };

export const openPeople = (options: PeopleOptions): People => {
  const driver = postgres(options.url, {
    ...underRole('holdfast_sign_in', options.maximum ?? 5),
    ...socketOf(options.url),
  });
  const library = makeLibrary(driver, options);
  const passwords = passwordsOf(library, driver);
  return {
    handle: (request) => library.handler(request),
    sessionOf: async (headers) => {
      const found = await library.api.getSession({ headers });
      if (found === null) return undefined;
      const { id: sessionId, organisationId = null } = found.session;
      return { sessionId, userId: found.user.id, organisationId: organisationId ?? null };
    },
    chooseOrganisation: async ({ sessionId, userId }, organisationId) => {
      await driver.begin(async (tx) => {
        await tx`update sign_in.session set "organisationId" = ${organisationId} where id = ${sessionId}`;
        await tx`update sign_in."user" set "lastOrganisationId" = ${organisationId} where id = ${userId}`;
      });
    },
    endSession: (headers) => endSession(library, driver, headers),
    ...passwords,
    ...linksOf(library, passwords.setPassword),
    ...membersOf(library, passwords.setPassword),
    openSession: openSessionWith(library),
    sessions: sessionsOver(driver),
    close: async () => {
      await driver.end({ timeout: 5 });
    },
  };
};
