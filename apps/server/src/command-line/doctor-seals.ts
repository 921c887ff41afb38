import { newestSeal } from '@holdfast/engine/postgres';
import { oneSealingKey, sealSignerOf, strangersKey } from '../audit/seal-key.ts';
import { readSealingKey } from '../start/sealed-secrets.ts';
import type { Check } from './doctor.ts';
import type { Workplace } from './workplace.ts';

/** Organisations whose audit is sealed with another key than this machine's. */
export const examineSeals = async ({ settings, store, inOrganisation }: Workplace): Promise<Check[]> => {
  const key = await readSealingKey(settings.dataFolder, settings.secretsKey);
  const known = key === undefined ? null : [sealSignerOf(key).publicKey];
  const found: Check[] = [];
  for (const { id, name } of await store.organisations()) {
    if (strangersKey(await inOrganisation(id, newestSeal), known) === null) continue;
    found.push({
      check: 'audit seals',
      ok: false,
      finding: `${name}: the audit is sealed with another key than this machine's`,
      remedy: `Of the audit, ${oneSealingKey}`,
    });
  }
  return found;
};
