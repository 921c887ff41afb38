import { sealSignerOf } from '../audit/seal-key.ts';
import { sealRegularly } from '../audit/seal-regularly.ts';
import { loggableError } from './log.ts';
import type { OpenServer } from './run-server.ts';
import { makeSealingKey } from './sealed-secrets.ts';

/** Seals the audit beside the worker. The key is made with the first seal, where there is none yet. */
export const runSealing = ({
  settings,
  made,
  store,
  log,
}: Pick<OpenServer, 'settings' | 'made' | 'store' | 'log'>): (() => Promise<void>) =>
  sealRegularly({
    inOrganisation: made.inOrganisation,
    organisations: store.organisations,
    signer: async () => sealSignerOf(await makeSealingKey(settings.dataFolder, settings.secretsKey)),
    dataFolder: settings.dataFolder,
    onTrouble: (error, id) => {
      log.error({ organisationId: id, error: loggableError(error) }, 'the audit could not be sealed');
    },
  });
