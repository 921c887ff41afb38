import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's connection to a cluster in which databases may be made; one a test process. */
    postgresUrls: readonly string[];
  }
}

/** The cluster that this test process has to itself. */
export const ownCluster = (): string => {
  const url = inject('postgresUrls')[Number(process.env['VITEST_POOL_ID']) - 1];
  if (url === undefined) throw new Error('there are more test processes than PostgreSQL clusters');
  return url;
};
