import { randomUUID } from 'node:crypto';
import { choosableTypes, type AnnouncementType } from '@holdfast/engine';
import {
  addEndpoint,
  listEndpoints,
  mostEndpoints,
  readDeliveries,
  redeliver,
  removeEndpoint,
  rotateEndpoint,
  switchEndpoint,
  testEndpoint,
  type ListedEndpoint,
  type LoggedDelivery,
} from '@holdfast/engine/postgres';
import { InvalidArgumentError, type Command } from 'commander';
import { judgeEndpointAddress } from '../announce/endpoint-address.ts';
import { mintSigningSecret, sealSigningSecret } from '../announce/signing-secret.ts';
import { makeSealingKey } from '../start/sealed-secrets.ts';
import { momentIn, oneOf, textIn, wholeNumberIn } from './arguments.ts';
import { commandFailed, counted, outputFor } from './output.ts';
import { inWorkplace, type Workplace } from './workplace.ts';

type Common = { json?: boolean; org?: string };
const by = 'command-line';
const inThisOrganisation = '--org <id>';
const orDefault = 'organisation; without it the default one';

const endpointIn = (text: string): string => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the ID of an endpoint; `holdfast webhook list` names them.');
};
/** As `momentIn`, but a day begins with its first moment. */
const sinceIn = (text: string): Date =>
  momentIn(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
const noEndpoint = () => commandFailed('There is no such endpoint.', '`holdfast webhook list` names them.');

const sealed = async (
  { settings }: Workplace,
  organisationId: string,
  id: string,
  secret: string,
): Promise<Uint8Array> =>
  sealSigningSecret(
    await makeSealingKey(settings.dataFolder, settings.secretsKey),
    organisationId,
    id,
    secret,
  );

type AddOptions = Common & { description?: string; type?: AnnouncementType[] };

const add = async (url: string, { org, json, description, type }: AddOptions): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async (workplace) => {
    const judged = judgeEndpointAddress(url, { allowLoopback: workplace.settings.webhooksAllowLoopback });
    if (!judged.ok) throw commandFailed(`The address ${judged.because}.`, 'Nothing was added.');
    const organisationId = await workplace.organisation(org);
    const [id, secret] = [randomUUID(), mintSigningSecret()];
    const endpoint = {
      ...{ id, url: judged.href, description: description ?? '', by },
      eventTypes: [...new Set(type ?? [])],
      secret: await sealed(workplace, organisationId, id, secret),
    };
    const outcome = await workplace.inOrganisation(organisationId, (tx) => addEndpoint(tx, endpoint));
    if (outcome === 'too-many') {
      throw commandFailed(`${String(mostEndpoints)} endpoints is the most.`, 'Remove one first.');
    }
    output.result({ id, secret }, [secret]);
    output.note(`Endpoint ${id}. The secret is told this once; \`holdfast webhook test ${id}\` tries it.`);
  });
};

const standingOf = ({ isOn, markedFailingAt, failures, nextTryAt }: ListedEndpoint): string => {
  if (!isOn) return 'off';
  if (markedFailingAt !== null) return `failing since ${markedFailingAt.toISOString()}`;
  if (failures === 0) return 'on';
  return `on, failed, tried again ${nextTryAt === null ? 'now' : nextTryAt.toISOString()}`;
};

const lineOf = (row: ListedEndpoint): string =>
  [
    ...[row.id, standingOf(row), row.url, `${String(row.waiting)} waiting`],
    row.eventTypes.length === 0 ? 'all events' : row.eventTypes.join(','),
    ...(row.description === '' ? [] : [row.description]),
  ].join('  ');

const list = async ({ org, json }: Common): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ inOrganisation, organisation }) => {
    const items = await inOrganisation(await organisation(org), listEndpoints);
    output.result({ items }, items.map(lineOf));
    if (items.length === 0) output.note('Events are sent nowhere. `holdfast webhook add URL` begins it.');
  });
};

const remove = async (id: string, { org, json }: Common): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ inOrganisation, organisation }) => {
    const isDone = await inOrganisation(await organisation(org), (tx) => removeEndpoint(tx, id, by));
    if (!isDone) throw noEndpoint();
    output.result({ id, removed: true }, ['Nothing is sent there any more.']);
  });
};

const switchTo =
  (on: boolean) =>
  async (id: string, { org, json }: Common) => {
    const output = outputFor(json === true);
    await inWorkplace(output, async ({ inOrganisation, organisation }) => {
      const isDone = await inOrganisation(await organisation(org), (tx) => switchEndpoint(tx, id, on, by));
      if (!isDone) throw noEndpoint();
      const words = on
        ? 'On: what waited goes out now.'
        : 'Off: what happens now goes out once it is on again.';
      output.result({ id, on }, [words]);
    });
  };

const rotate = async (id: string, { org, json, grace }: Common & { grace: number }): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async (workplace) => {
    const organisationId = await workplace.organisation(org);
    const secret = mintSigningSecret();
    const change = {
      secret: await sealed(workplace, organisationId, id, secret),
      graceSeconds: grace * 3_600,
      by,
    };
    const rotated = await workplace.inOrganisation(organisationId, (tx) => rotateEndpoint(tx, id, change));
    if (rotated === undefined) throw noEndpoint();
    const until = rotated.oldSignsUntil?.toISOString() ?? null;
    output.result({ id, secret, oldSecretSignsUntil: until }, [secret]);
    output.note(until === null ? 'The old one signs no more.' : `The old one signs too until ${until}.`);
  });
};

const test = async (id: string, { org, json }: Common): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ inOrganisation, organisation }) => {
    const eventId = await inOrganisation(await organisation(org), (tx) => testEndpoint(tx, id, by));
    if (eventId === undefined) throw noEndpoint();
    output.result({ id, eventId }, [eventId]);
    output.note(
      `The worker sends it within seconds; \`holdfast webhook deliveries ${id}\` says what came of it.`,
    );
  });
};

const deliveryLine = ({ eventId, type, madeAt, deliveredAt, dueAt, attempts }: LoggedDelivery): string => {
  const [last] = attempts;
  return [
    ...[eventId, type, madeAt.toISOString()],
    deliveredAt === null
      ? `not delivered, next ${dueAt.toISOString()}`
      : `delivered ${deliveredAt.toISOString()}`,
    counted(attempts.length, 'attempt'),
    ...(last === undefined
      ? []
      : [
          last.outcome,
          last.status === null ? 'no answer' : `HTTP ${String(last.status)}`,
          `${String(last.durationMs)} ms`,
        ]),
  ].join('  ');
};

const deliveries = async (
  id: string,
  { org, json, undelivered, limit }: Common & { undelivered?: boolean; limit: number },
): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ inOrganisation, organisation }) => {
    const filter = { undelivered: undelivered === true, before: null, limit: Math.max(1, limit) };
    const items = await inOrganisation(await organisation(org), (tx) => readDeliveries(tx, id, filter));
    if (items === undefined) throw noEndpoint();
    output.result({ items }, items.map(deliveryLine));
    if (items.length > 0) return;
    output.note(
      undelivered === true
        ? 'All that was for this endpoint was delivered.'
        : 'Nothing was for this endpoint yet.',
    );
  });
};

const again = async (
  id: string,
  { org, json, event, failedSince }: Common & { event?: string; failedSince?: Date },
): Promise<void> => {
  const output = outputFor(json === true);
  if ((event === undefined) === (failedSince === undefined)) {
    throw commandFailed('Give --event or --failed-since, one of them.', 'Nothing is sent again.');
  }
  const what = event === undefined ? { failedSince: failedSince ?? new Date(0) } : { eventId: event };
  await inWorkplace(output, async ({ inOrganisation, organisation }) => {
    const events = await inOrganisation(await organisation(org), (tx) => redeliver(tx, id, what, by));
    if (events === undefined) throw noEndpoint();
    if (events === 0 && event !== undefined) {
      throw commandFailed(
        'No such event was ever for this endpoint. Nothing is sent again.',
        `\`holdfast webhook deliveries ${id}\` names them.`,
      );
    }
    output.result({ id, events }, [
      events === 0
        ? 'All since then was delivered; nothing is sent again.'
        : `${counted(events, 'event')} sent again now.`,
    ]);
  });
};

const typesIn = (text: string, before: AnnouncementType[] | undefined): AnnouncementType[] => [
  ...(before ?? []),
  oneOf(choosableTypes)(text),
];

/** Where the organisation's events are sent. */
export const addWebhookCommands = (program: Command): void => {
  const group = program.command('webhook').description('where events are sent: signed webhooks');
  const command = (words: string, description: string, printed: string): Command =>
    group
      .command(words)
      .description(description)
      .option(inThisOrganisation, orDefault)
      .option('--json', `print ${printed}`);
  command('add <url>', 'send events there; prints what signs them, once', '{id, secret}')
    .option(
      '--type <type>',
      `one event to send, repeatable; without it all: ${choosableTypes.join(', ')}`,
      typesIn,
    )
    .option('--description <text>', 'what it is', textIn)
    .action(add);
  command('list', 'all endpoints: ID, how it stands, address, what waits', '{items}').action(list);
  const ofOne = (words: string, description: string, printed: string): Command =>
    command(words, description, printed).argument('<id>', 'the endpoint', endpointIn);
  ofOne('remove', 'send nothing there any more', '{id, removed}').action(remove);
  ofOne('off', 'send nothing for now; what happens goes out later', '{id, on}').action(switchTo(false));
  ofOne('on', 'send again, what waited first', '{id, on}').action(switchTo(true));
  ofOne('rotate', 'sign with a new secret; prints it alone, once', '{id, secret, oldSecretSignsUntil}')
    .option('--grace <hours>', 'how long the old one signs too', wholeNumberIn(168, 'hours'), 24)
    .action(rotate);
  ofOne('test', 'send an event that is only to try it', '{id, eventId}').action(test);
  ofOne('deliveries', 'what was sent there and what came of it, newest first', '{items}')
    .option('--undelivered', 'only what was not delivered yet')
    .option('--limit <number>', 'how many', wholeNumberIn(1_000, 'deliveries'), 50)
    .action(deliveries);
  ofOne('redeliver', 'send again', '{id, events}')
    .option('--event <id>', 'this event, delivered or not')
    .option('--failed-since <when>', 'everything since then that was not delivered', sinceIn)
    .action(again);
};
