import { boolean, pgSchema, text, timestamp } from 'drizzle-orm/pg-core';

/** The sign-in library's tables as it reads and writes them; the migrations make them. */
const signIn = pgSchema('sign_in');
const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const user = signIn.table('user', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  email: text('email').notNull().unique(),
  emailVerified: boolean('emailVerified').notNull().default(false),
  image: text('image'),
  createdAt: at('createdAt').notNull().defaultNow(),
  updatedAt: at('updatedAt').notNull().defaultNow(),
  lastOrganisationId: text('lastOrganisationId'),
});

export const session = signIn.table('session', {
  id: text('id').primaryKey(),
  expiresAt: at('expiresAt').notNull(),
  token: text('token').notNull().unique(),
  createdAt: at('createdAt').notNull().defaultNow(),
  updatedAt: at('updatedAt').notNull().defaultNow(),
  ipAddress: text('ipAddress'),
  userAgent: text('userAgent'),
  userId: text('userId').notNull(),
  organisationId: text('organisationId'),
});

export const account = signIn.table('account', {
  id: text('id').primaryKey(),
  accountId: text('accountId').notNull(),
  providerId: text('providerId').notNull(),
  userId: text('userId').notNull(),
  accessToken: text('accessToken'),
  refreshToken: text('refreshToken'),
  idToken: text('idToken'),
  accessTokenExpiresAt: at('accessTokenExpiresAt'),
  refreshTokenExpiresAt: at('refreshTokenExpiresAt'),
  scope: text('scope'),
  password: text('password'),
  createdAt: at('createdAt').notNull().defaultNow(),
  updatedAt: at('updatedAt').notNull().defaultNow(),
});

export const verification = signIn.table('verification', {
  id: text('id').primaryKey(),
  identifier: text('identifier').notNull(),
  value: text('value').notNull(),
  expiresAt: at('expiresAt').notNull(),
  createdAt: at('createdAt').notNull().defaultNow(),
  updatedAt: at('updatedAt').notNull().defaultNow(),
});
