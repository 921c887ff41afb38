import { createHmac, randomBytes } from 'node:crypto';
import { betterAuth } from 'better-auth';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { isOwnOrigin } from '../http/same-origin.ts';
import { socketOf, underRole } from './access-store.ts';
import * as tables from './sign-in-tables.ts';

const dayMs = 86_400_000;
const linkValidForMs = 7 * dayMs;
const sessionSeconds = (30 * dayMs) / 1_000;
export const minimumPasswordLength = 10;

export type Session = {
  readonly sessionId: string;
  readonly userId: string;
  /** The organisation that was chosen in this session; `null` while none was. It may have been left since. */
  readonly organisationId: string | null;
};

/** People who sign in with e-mail and password. There is no public sign-up: the command line adds them. */
export type People = {
  /** The sign-in library's own endpoints under `/api/auth`. */
  readonly handle: (request: Request) => Promise<Response>;
  readonly sessionOf: (headers: Headers) => Promise<Session | undefined>;
  /**
   * When this resolves, the session of this cookie is no more, or there was none.
   * @throws the database's error where that could not be made sure of
   */
  readonly endSession: (headers: Headers) => Promise<void>;
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
  /** For sign-ins that are public anyway (the demo's). */
  readonly setPassword: (userId: string, password: string) => Promise<void>;
  /** Uses up a token. Ends every session the person had. */
  readonly choosePassword: (
    token: string,
    password: string,
  ) => Promise<'done' | 'token-unknown' | 'too-short'>;
  readonly close: () => Promise<void>;
};

export type PeopleOptions = {
  readonly url: string;
  readonly publicOrigin: string;
  /** Shared by every process on this database. */
  readonly sharedKey: Uint8Array;
  readonly maximum?: number;
};

const ownOrigins = (request: Request | undefined, publicOrigin: string): string[] => {
  const origin = request?.headers.get('origin');
  const host = request?.headers.get('host') ?? undefined;
  return origin && isOwnOrigin(origin, publicOrigin, host) ? [publicOrigin, origin] : [publicOrigin];
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
      cookiePrefix: 'holdfast',
      useSecureCookies: options.publicOrigin.startsWith('https://'),
      ipAddress: { disableIpTracking: true },
    },
    // Limits are ours (one place for all routes); nothing is reported to anybody.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
  });

/** The value that a request's cookie header has under this name. */
const cookieValue = (headers: Headers, name: string): string | undefined =>
  (headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** The library signs the session's token: `token.signature`, encoded for a cookie. */
const tokenIn = (value: string): string | undefined => {
  try {
    const signed = decodeURIComponent(value);
    return signed.slice(0, signed.lastIndexOf('.'));
  } catch {
    return undefined;
  }
};

const endSession = async (
  library: ReturnType<typeof makeLibrary>,
  driver: postgres.Sql,
  headers: Headers,
): Promise<void> => {
  const { authCookies } = await library.$context;
  const value = cookieValue(headers, authCookies.sessionToken.name);
  const token = value === undefined ? undefined : tokenIn(value);
  if (token !== undefined) await driver`delete from sign_in.session where token = ${token}`;
};

export const openPeople = (options: PeopleOptions): People => {
  const driver = postgres(options.url, {
    ...underRole('holdfast_sign_in', options.maximum ?? 5),
    ...socketOf(options.url),
  });
  const library = makeLibrary(driver, options);

  const setPassword = async (userId: string, password: string): Promise<void> => {
    const context = await library.$context;
    const hash = await context.password.hash(password);
    const accounts = await context.internalAdapter.findAccounts(userId);
    if (accounts.some((account) => account.providerId === 'credential')) {
      await context.internalAdapter.updatePassword(userId, hash);
    } else {
      await context.internalAdapter.createAccount({
        userId,
        providerId: 'credential',
        accountId: userId,
        password: hash,
      });
    }
  };

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
    invite: async (email, name) => {
      const context = await library.$context;
      const known = await context.internalAdapter.findUserByEmail(email, { includeAccounts: true });
      const person =
        known?.user ??
        (await context.internalAdapter.createUser(
          { email, name, emailVerified: true },
          { method: 'email-password' },
        ));
      const hasPassword = known?.accounts.some((account) => account.providerId === 'credential') ?? false;
      if (hasPassword) return { userId: person.id, token: undefined };
      const token = randomBytes(24).toString('base64url');
      await context.internalAdapter.createVerificationValue({
        identifier: `reset-password:${token}`,
        value: person.id,
        expiresAt: new Date(Date.now() + linkValidForMs),
      });
      return { userId: person.id, token };
    },
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
    setPassword,
    choosePassword: async (token, password) => {
      if (password.length < minimumPasswordLength) return 'too-short';
      const context = await library.$context;
      const found = await context.internalAdapter.consumeVerificationValue(`reset-password:${token}`);
      if (!found) return 'token-unknown';
      await setPassword(found.value, password);
      await context.internalAdapter.deleteUserSessions(found.value);
      return 'done';
    },
    close: async () => {
      await driver.end({ timeout: 5 });
    },
  };
};
