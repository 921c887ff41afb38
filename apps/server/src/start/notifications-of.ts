import type { NotificationParts } from '../http/routes/notification-routes.ts';
import { mailOutOf, notifyRegularly, type NotifyParts } from '../notifications/notify.ts';
import { openPushSender, pushKeysFrom, type PushSenderParts } from '../notifications/push-sender.ts';
import { loggableError } from './log.ts';
import type { OpenServer } from './run-server.ts';

type Given = Pick<OpenServer, 'settings' | 'log' | 'mail' | 'made' | 'sharedKey'>;

/** Who push services can turn to. A loopback origin reaches nobody, and some services refuse it. */
const contactOf = ({ publicOrigin, smtp }: Given['settings']): string => {
  if (publicOrigin.startsWith('https:')) return publicOrigin;
  const address = smtp === undefined ? undefined : (/<([^<>]+)>/.exec(smtp.from)?.[1] ?? smtp.from);
  return `mailto:${address ?? 'nobody@holdfast.invalid'}`;
};

/** What the routes about notices work with. */
export const notificationParts = ({ settings, mail, made, sharedKey }: Given): NotificationParts => ({
  inOrganisation: made.inOrganisation,
  publicKey: pushKeysFrom(sharedKey).publicKey,
  mail: mailOutOf(mail),
  services: settings.pushServices,
});

export const notifyPartsOf = (
  { settings, log, mail, made, sharedKey }: Given,
  beside: Pick<PushSenderParts, 'certificate'> = {},
): NotifyParts => ({
  inOrganisation: made.inOrganisation,
  organisations: made.organisationsWithNotices,
  push: openPushSender({
    ...beside,
    keys: pushKeysFrom(sharedKey),
    contact: contactOf(settings),
    services: settings.pushServices,
  }),
  mail,
  publicOrigin: settings.publicOrigin,
  escalateAfterMs: settings.escalateAfterMs,
  onTrouble: (error, id) => {
    log.error({ organisationId: id, error: loggableError(error) }, 'notices could not be sent');
  },
});

/** Tells people of what waits for them, beside the worker. @returns the stop */
export const runNotifying = (opened: Given): (() => Promise<void>) => {
  const parts = notifyPartsOf(opened);
  const stop = notifyRegularly(parts);
  return async () => {
    await stop();
    parts.push.close();
  };
};
