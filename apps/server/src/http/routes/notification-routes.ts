import { randomUUID } from 'node:crypto';
import { chosenWays, type MailOut } from '@holdfast/engine';
import {
  chooseWay,
  chosenWayOf,
  endPushDevice,
  isOwnPushDevice,
  keepPushDevice,
  livingDevices,
  planTestNotice,
  type InOrganisation,
} from '@holdfast/engine/postgres';
import { z } from 'zod';
import { judgePushEndpoint } from '../../notifications/push-endpoint.ts';
import { invalidFields, refuse, Refusal } from '../problem.ts';
import { guarded, json, type Call, type GuardedRoute } from '../route.ts';
import { sessionOf } from './security-parts.ts';

export type NotificationParts = {
  readonly inOrganisation: InOrganisation;
  /** What a browser subscribes with. */
  readonly publicKey: string;
  readonly mail: MailOut;
  /** Push services that may be anywhere. */
  readonly services: readonly string[];
};

const bytesIn = (text: string): Buffer => Buffer.from(text, 'base64url');
const base64url = z
  .string()
  .max(200)
  .regex(/^[\w-]+$/, 'must be base64url');
const endpointSchema = z.string().min(1, 'is needed').max(2_000, 'is too long');
const deviceSchema = z.object({
  endpoint: endpointSchema,
  keys: z.object({
    p256dh: base64url.refine((key) => {
      const bytes = bytesIn(key);
      return bytes.length === 65 && bytes[0] === 4;
    }, 'must be the public key that the browser made'),
    auth: base64url.refine(
      (secret) => bytesIn(secret).length === 16,
      'must be the secret that the browser made',
    ),
  }),
});
const namedSchema = z.object({ endpoint: endpointSchema });
const overviewSchema = z.object({
  way: z.enum(chosenWays),
  publicKey: z.string(),
  /** `leaves`: letters are sent; `shown`: the demo prints them; `nowhere`: mail is not set up. */
  mail: z.enum(['leaves', 'shown', 'nowhere']),
  devices: z.number(),
});

const described = (
  method: 'get' | 'post',
  path: string,
  summary: string,
): Pick<GuardedRoute, 'method' | 'path' | 'summary' | 'needs' | 'peopleOnly'> => ({
  ...{
    method,
    path: `/v1/me/notifications${path}`,
    summary,
    needs: ['agent', 'approver', 'operator'],
    peopleOnly: true,
  },
});
const answering = (description: string, schema: z.ZodType): Pick<GuardedRoute, 'answers'> => ({
  answers: { 200: { description, schema } },
});

const judged = (endpoint: string, { services }: NotificationParts): string => {
  const judgement = judgePushEndpoint(endpoint, services);
  if (judgement.ok) return judgement.href;
  throw new Refusal(invalidFields([{ path: 'endpoint', message: judgement.because }]));
};

const personOf = (call: Pick<Call<unknown, unknown>, 'identity' | 'who'>) => ({
  organisationId: call.who.organisationId,
  userId: sessionOf(call).userId,
  sessionId: sessionOf(call).sessionId,
});

const devices = (parts: NotificationParts): GuardedRoute[] => [
  guarded({
    ...described('post', '/devices', 'Show notices in this browser, as long as this session lasts.'),
    ...answering('Kept', z.object({ kept: z.literal(true) })),
    body: deviceSchema,
    handle: async (call) => {
      const { organisationId, userId, sessionId } = personOf(call);
      const { p256dh: publicKey, auth: authSecret } = call.body.keys;
      const device = { endpoint: judged(call.body.endpoint, parts), publicKey, authSecret };
      const kept = await parts.inOrganisation(organisationId, (tx) =>
        keepPushDevice(tx, { ...device, id: randomUUID(), userId, sessionId }),
      );
      if (!kept) throw refuse('not-eligible', 'Somebody else has just turned notices on in this browser.');
      return json(200, { kept });
    },
  }),
  guarded({
    ...described('post', '/devices/own', 'Whether notices in this browser are mine; others’ end here.'),
    ...answering('Whether they are', z.object({ own: z.boolean() })),
    // Whoever sits here now, whatever their role: the person before them no longer does.
    needs: 'any',
    body: namedSchema,
    handle: async (call) => {
      const { organisationId, ...person } = personOf(call);
      const endpoint = judged(call.body.endpoint, parts);
      const own = await parts.inOrganisation(organisationId, (tx) =>
        isOwnPushDevice(tx, { ...person, endpoint }),
      );
      return json(200, { own });
    },
  }),
  guarded({
    ...described('post', '/devices/end', 'Show no more notices in this browser.'),
    ...answering('Whether there were any', z.object({ ended: z.boolean() })),
    needs: 'any',
    body: namedSchema,
    handle: async (call) => {
      const { organisationId, userId } = personOf(call);
      const endpoint = judged(call.body.endpoint, parts);
      const ended = await parts.inOrganisation(organisationId, (tx) =>
        endPushDevice(tx, { userId, endpoint }),
      );
      return json(200, { ended });
    },
  }),
];

/** How people hear that something waits for them. */
export const notificationRoutes = (parts: NotificationParts): GuardedRoute[] => [
  guarded({
    ...described('get', '', 'How I am told that something waits for me.'),
    ...answering('The way, and in how many browsers', overviewSchema),
    handle: async (call) => {
      const { organisationId, userId } = personOf(call);
      const found = await parts.inOrganisation(organisationId, async (tx) => ({
        way: await chosenWayOf(tx, userId),
        devices: (await livingDevices(tx)).filter((device) => device.user_id === userId).length,
      }));
      return json(200, { ...found, publicKey: parts.publicKey, mail: parts.mail });
    },
  }),
  guarded({
    ...described('post', '/way', 'Choose how I am told: in browsers, by mail, or not at all.'),
    ...answering('Chosen', z.object({ way: z.enum(chosenWays) })),
    body: z.object({ way: z.enum(chosenWays, `must be one of ${chosenWays.join(', ')}`) }),
    handle: async (call) => {
      const { organisationId, userId } = personOf(call);
      await parts.inOrganisation(organisationId, (tx) => chooseWay(tx, userId, call.body.way));
      return json(200, { way: call.body.way });
    },
  }),
  guarded({
    ...described('post', '/test', 'Send me a notice, to see that it arrives. It leaves within seconds.'),
    ...answering('To how many places', z.object({ places: z.number() })),
    handle: async (call) => {
      const { organisationId, userId } = personOf(call);
      const places = await parts.inOrganisation(organisationId, (tx) =>
        planTestNotice(tx, userId, parts.mail),
      );
      return json(200, { places });
    },
  }),
  ...devices(parts),
];
