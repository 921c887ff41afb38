import { z } from 'zod';

export interface Configuration {
  host: string;
  port: number;
  dataFolder: string;
  webhook: { url: string; secret: string } | null;
  /** Whoever starts this program as a child can have it end with them, even when they are killed. */
  stopsWithStandardInput: boolean;
}

const loopbackHosts = ['127.0.0.1', 'localhost', '::1'];

const environment = z.object({
  HOST: z
    .string()
    .refine((host) => loopbackHosts.includes(host), `must be loopback: ${loopbackHosts.join(', ')}`)
    .default('127.0.0.1'),
  FAKE_STRIPE_PORT: z.coerce.number().int().min(0).max(65_535).default(4781),
  FAKE_STRIPE_DATA_DIR: z.string().min(1).default('.holdfast/fake-stripe'),
  FAKE_STRIPE_WEBHOOK_URL: z.url().optional(),
  FAKE_STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  FAKE_STRIPE_STOP_WITH_STDIN: z.enum(['on', 'off']).default('off'),
});

export type ConfigurationResult = { configuration: Configuration } | { problem: string };

/** An empty value counts as unset, since that is how a shell or a compose file clears a variable. */
export function readConfiguration(variables: Record<string, string | undefined>): ConfigurationResult {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    return { problem: lines.join('; ') };
  }
  const values = parsed.data;
  const { FAKE_STRIPE_WEBHOOK_URL: url, FAKE_STRIPE_WEBHOOK_SECRET: secret } = values;
  if ((url === undefined) !== (secret === undefined)) {
    return {
      problem: 'FAKE_STRIPE_WEBHOOK_URL and FAKE_STRIPE_WEBHOOK_SECRET: give both or neither',
    };
  }
  return {
    configuration: {
      host: values.HOST,
      port: values.FAKE_STRIPE_PORT,
      dataFolder: values.FAKE_STRIPE_DATA_DIR,
      webhook: url !== undefined && secret !== undefined ? { url, secret } : null,
      stopsWithStandardInput: values.FAKE_STRIPE_STOP_WITH_STDIN === 'on',
    },
  };
}
