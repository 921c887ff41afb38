import type { ProviderDirectory } from '@holdfast/engine';

/** For programs that send nothing. */
export const noProviders: ProviderDirectory = { accountOf: () => undefined, accounts: () => [] };
