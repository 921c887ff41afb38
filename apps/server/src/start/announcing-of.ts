import { announceRegularly, type AnnounceParts } from '../announce/announce.ts';
import { openOutsideSender, type OutsideSenderParts } from '../announce/outside-sender.ts';
import type { EndpointParts } from '../http/routes/endpoint-routes.ts';
import { loggableError } from './log.ts';
import type { OpenServer } from './run-server.ts';
import { makeSealingKey, readSealingKey } from './sealed-secrets.ts';

type Given = Pick<OpenServer, 'settings' | 'log' | 'made'>;

/** What the routes about webhook endpoints work with. The key is made with the first secret, where there is none yet. */
export const endpointParts = ({ settings, made }: Given): EndpointParts => ({
  inOrganisation: made.inOrganisation,
  sealingKey: () => makeSealingKey(settings.dataFolder, settings.secretsKey),
  allowLoopback: settings.webhooksAllowLoopback,
});

export const announcePartsOf = (
  { settings, log, made }: Given,
  beside: Partial<OutsideSenderParts> = {},
): AnnounceParts => ({
  inOrganisation: made.inOrganisation,
  organisations: made.organisationsWithAnnouncements,
  sender: openOutsideSender({
    allowLoopback: settings.webhooksAllowLoopback,
    nowMs: () => performance.now(),
    ...beside,
  }),
  sealingKey: () => readSealingKey(settings.dataFolder, settings.secretsKey),
  publicOrigin: settings.publicOrigin,
  nowMs: Date.now,
  chance: Math.random,
  onTrouble: (error, id) => {
    log.error({ organisationId: id, error: loggableError(error) }, 'webhooks could not be sent');
  },
});

/** Tells the world outside, beside the worker. @returns the stop */
export const runAnnouncing = (opened: Given): (() => Promise<void>) =>
  announceRegularly(announcePartsOf(opened));
