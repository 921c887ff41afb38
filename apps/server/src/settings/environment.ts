import { z } from 'zod';
import { trustedProxies } from '../http/client-address.ts';

const wholeNumber = (minimum: number, maximum: number, example: string) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number like ${example}`)
    .transform(Number)
    .refine(
      (value) => value >= minimum && value <= maximum,
      `must be between ${String(minimum)} and ${String(maximum)}`,
    );

const milliseconds = (minimum: number, maximum: number, fallback: number) =>
  wholeNumber(minimum, maximum, String(fallback)).default(fallback);

const switchedBy = z.enum(['on', 'off'], 'must be "on" or "off"');
const hour = 3_600_000;

const backOff = z
  .string()
  .regex(/^\d+(,\d+)*$/, 'must be whole milliseconds separated by commas, like 1000,2000,5000')
  .transform((text) => text.split(',').map(Number))
  .refine(
    (pauses) => pauses.every((pause) => pause >= 50 && pause <= 24 * hour),
    'needs pauses of 50 ms to 24 hours',
  )
  .default([1_000, 2_000, 5_000, 15_000, 60_000, 300_000]);

const isOrigin = (text: string): boolean => {
  try {
    const url = new URL(text);
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.origin === text;
  } catch {
    return false;
  }
};

const isUrlOf =
  (...protocols: string[]) =>
  (text: string): boolean => {
    try {
      return protocols.includes(new URL(text).protocol);
    } catch {
      return false;
    }
  };

const stripeSecrets = z
  .string()
  .transform((text) => text.split(',').map((secret) => secret.trim()))
  .refine(
    (secrets) => secrets.every((secret) => secret.length >= 8),
    'must be webhook secrets separated by commas',
  );

/** Of a million tokens, in units of the currency. */
const pricePerMillion = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?$/, 'must be a price for a million tokens, like 3.00');

/** Every variable Holdfast reads, with its rule and its default. An empty value counts as unset. */
export const environmentSchema = z.object({
  PORT: wholeNumber(0, 65_535, '4780').default(4780),
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be an address to listen on, like 127.0.0.1')
    .default('127.0.0.1'),
  PUBLIC_ORIGIN: z
    .string()
    .refine(isOrigin, 'must be an origin without a path, like https://refunds.example.org')
    .optional(),
  DATABASE_URL: z
    .string()
    .refine(
      isUrlOf('postgres:', 'postgresql:'),
      'must be a URL like postgres://user:password@host:5432/holdfast',
    )
    .optional(),
  HOLDFAST_DATA_DIR: z.string().optional(),
  HOLDFAST_ROLE: z.enum(['all', 'api', 'worker'], 'must be "all", "api" or "worker"').default('all'),
  HOLDFAST_DEMO: switchedBy.optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_[\w-]+$/, 'must be a secret or restricted key of Stripe (it begins with sk_ or rk_)')
    .optional(),
  STRIPE_API_BASE: z
    .string()
    .refine(isUrlOf('http:', 'https:'), 'must be a URL like https://api.stripe.com')
    .optional(),
  STRIPE_WEBHOOK_SECRET: stripeSecrets.default([]),
  HOLDFAST_SECRETS_KEY: z
    .string()
    .refine(
      (text) => Buffer.from(text, 'base64').length === 32,
      'must be 32 bytes in base64, as `openssl rand -base64 32` makes them',
    )
    .optional(),
  HOLDFAST_PROVIDER_TIMEOUT_MS: milliseconds(100, 10 * 60_000, 10_000),
  HOLDFAST_LEASE_MS: milliseconds(500, 24 * hour, 60_000),
  HOLDFAST_CHECK_BACKOFF_MS: backOff,
  HOLDFAST_NEEDS_PERSON_AFTER_MS: milliseconds(100, 30 * 24 * hour, 900_000),
  HOLDFAST_ESCALATE_AFTER_MS: milliseconds(100, 30 * 24 * hour, 1_800_000),
  HOLDFAST_UNDO_MS: milliseconds(0, hour, 5_000),
  HOLDFAST_SWEEP_EVERY_MS: z
    .union(
      [z.literal('off'), wholeNumber(1_000, 30 * 24 * hour, '21600000')],
      'must be milliseconds from 1000 on, like 21600000 for six hours, or "off"',
    )
    .default(6 * hour),
  HOLDFAST_KEY_APPROVALS: switchedBy.default('off'),
  HOLDFAST_RATE_LIMIT: z
    .union(
      [z.literal('off'), wholeNumber(1, 1_000_000, '1200')],
      'must be requests a minute, like 1200, or "off"',
    )
    .default(1200),
  HOLDFAST_TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(',').map((entry) => entry.trim()))
    .refine(
      (entries) => trustedProxies(entries) !== undefined,
      'must be addresses or networks separated by commas, like 127.0.0.1,10.0.0.0/8',
    )
    .default([]),
  HOLDFAST_DATABASE_CONNECTIONS: wholeNumber(2, 1_000, '20').default(20),
  HOLDFAST_STREAMS: wholeNumber(1, 1_000_000, '2000').default(2_000),
  HOLDFAST_SMTP_URL: z
    .string()
    .refine(isUrlOf('smtp:', 'smtps:'), 'must be a URL like smtps://user:password@mail.example.org')
    .optional(),
  HOLDFAST_MAIL_FROM: z
    .string()
    .regex(
      /^[^@\s<>]+@[^@\s<>]+$|^[^<>\r\n]+<[^@\s<>]+@[^@\s<>]+>$/,
      'must be a sender like refunds@example.org',
    )
    .optional(),
  HOLDFAST_PUSH_SERVICES: z
    .string()
    .transform((text) => text.split(',').map((origin) => origin.trim()))
    .refine(
      (origins) => origins.every((origin) => isOrigin(origin) && origin.startsWith('https:')),
      'must be https origins separated by commas, like https://push.example.org',
    )
    .default([]),
  HOLDFAST_ASSISTANT_API: z
    .enum(['openai-compatible', 'anthropic'], 'must be "openai-compatible" or "anthropic"')
    .default('openai-compatible'),
  HOLDFAST_WEBHOOKS_ALLOW_LOOPBACK: switchedBy.optional(),
  HOLDFAST_ASSISTANT_URL: z
    .string()
    .refine(isUrlOf('http:', 'https:'), 'must be a URL like https://models.example.org/v1')
    .optional(),
  HOLDFAST_ASSISTANT_MODEL: z.string().optional(),
  HOLDFAST_ASSISTANT_KEY: z.string().optional(),
  HOLDFAST_ASSISTANT_TIMEOUT_MS: milliseconds(100, 60_000, 8_000),
  HOLDFAST_ASSISTANT_TOKENS: wholeNumber(16, 100_000, '300').default(300),
  HOLDFAST_ASSISTANT_PRICE_INPUT: pricePerMillion.optional(),
  HOLDFAST_ASSISTANT_PRICE_OUTPUT: pricePerMillion.optional(),
  HOLDFAST_ASSISTANT_PRICE_CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency like USD')
    .default('USD'),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be a level like "info" or "warn"',
    )
    .default('info'),
  /** `off`: the web app is served as it is in its folder, built by somebody else. */
  HOLDFAST_WEB_BUILD: switchedBy.default('on'),
  FAKE_STRIPE_PORT: wholeNumber(1, 65_535, '4781').default(4781),
});
export type Environment = z.infer<typeof environmentSchema>;
