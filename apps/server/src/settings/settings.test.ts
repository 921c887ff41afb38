import { describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';
import { StartProblem } from './start-problem.ts';

const problemOf = (variables: Record<string, string>): string => {
  try {
    readSettings(variables);
  } catch (error) {
    if (error instanceof StartProblem) return error.line;
    throw error;
  }
  throw new Error('the settings were accepted');
};

describe('settings', () => {
  it('without any: the demo on loopback, with the documented defaults', () => {
    expect(readSettings({})).toMatchObject({
      port: 4780,
      host: '127.0.0.1',
      publicOrigin: 'http://localhost:4780',
      databaseUrl: undefined,
      role: 'all',
      demo: true,
      stripe: undefined,
      providerTimeoutMs: 10_000,
      leaseMs: 60_000,
      checkBackoffMs: [1_000, 2_000, 5_000, 15_000, 60_000, 300_000],
      needsPersonAfterMs: 900_000,
      undoMs: 5_000,
      sweepEveryMs: 21_600_000,
      keyApprovals: false,
      rateLimit: 1_200,
      logLevel: 'info',
    });
  });

  it('an empty value counts as unset', () => {
    expect(
      readSettings({
        PORT: '',
        HOLDFAST_UNDO_MS: '0',
        HOLDFAST_RATE_LIMIT: 'off',
        HOLDFAST_SWEEP_EVERY_MS: 'off',
      }),
    ).toMatchObject({
      port: 4780,
      undoMs: 0,
      sweepEveryMs: null,
      rateLimit: undefined,
    });
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', 'abc'],
    ['PUBLIC_ORIGIN', 'https://example.org/path'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['HOLDFAST_ROLE', 'boss'],
    ['HOLDFAST_DEMO', 'yes'],
    ['STRIPE_SECRET_KEY', 'pk_test_public'],
    ['HOLDFAST_PROVIDER_TIMEOUT_MS', '1.5'],
    ['HOLDFAST_LEASE_MS', '-1'],
    ['HOLDFAST_CHECK_BACKOFF_MS', '1000;2000'],
    ['HOLDFAST_NEEDS_PERSON_AFTER_MS', 'soon'],
    ['HOLDFAST_UNDO_MS', '5s'],
    ['HOLDFAST_SWEEP_EVERY_MS', '6h'],
    ['HOLDFAST_SWEEP_EVERY_MS', '10'],
    ['HOLDFAST_KEY_APPROVALS', 'true'],
    ['HOLDFAST_RATE_LIMIT', '0'],
    ['HOLDFAST_DATABASE_CONNECTIONS', '1'],
    ['HOLDFAST_STREAMS', 'many'],
    ['LOG_LEVEL', 'loud'],
  ])('%s=%s stops with one line that names it and does not repeat the value', (name, value) => {
    const line = problemOf({ [name]: value });
    expect(line.startsWith(`${name} cannot be used:`)).toBe(true);
    expect(line).not.toContain('\n');
    if (name === 'STRIPE_SECRET_KEY') expect(line).not.toContain(value);
  });

  it('the demo is off with a Stripe key, and refuses to be on with one or on a public origin', () => {
    expect(readSettings({ STRIPE_SECRET_KEY: 'sk_test_1' }).demo).toBe(false);
    expect(problemOf({ STRIPE_SECRET_KEY: 'sk_test_1', HOLDFAST_DEMO: 'on' })).toContain('HOLDFAST_DEMO');
    expect(problemOf({ PUBLIC_ORIGIN: 'https://refunds.example.org' })).toContain('PUBLIC_ORIGIN');
    expect(readSettings({ PUBLIC_ORIGIN: 'http://127.0.0.1:9' }).demo).toBe(true);
    expect(readSettings({ PUBLIC_ORIGIN: 'https://refunds.example.org', HOLDFAST_DEMO: 'off' }).demo).toBe(
      false,
    );
  });

  it('a Stripe base works with plain HTTP, several webhook secrets too', () => {
    const { stripe } = readSettings({
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_API_BASE: 'http://127.0.0.1:12111',
      STRIPE_WEBHOOK_SECRET: 'whsec_one1, whsec_two2',
    });
    expect(stripe).toEqual({
      secretKey: 'sk_test_1',
      apiBase: 'http://127.0.0.1:12111',
      webhookSecrets: ['whsec_one1', 'whsec_two2'],
    });
  });
});
