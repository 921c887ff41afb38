import { writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { eventsOf } from '../product/event-text.ts';

/**
 * A crowd of readers of the feed in a process of their own, so that what they hold is not taken for the server's.
 * Says `all here` once every one is connected, and `all heard <operation>` once every one has heard of it; on SIGTERM
 * it writes when each heard of each operation (milliseconds since the epoch) and ends.
 */
const [origin = '', key = '', cursor = '', count = '0', file = ''] = process.argv.slice(2);
const listeners = Number(count);

const heardAtMs = new Map<string, number[]>();
let here = 0;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const fail = (error: unknown): void => {
  process.stderr.write(`listeners: ${String(error)}\n`);
  process.exit(1);
};

const hear = (event: string, data: string): void => {
  if (event !== 'operation') return;
  // Reading the whole of it a thousand times would measure this program: the ID comes first.
  const id = /"id":"([0-9a-f-]{36})"/.exec(data)?.[1];
  if (id === undefined) return;
  const times = heardAtMs.get(id) ?? [];
  heardAtMs.set(id, times);
  times.push(Date.now());
  if (times.length === listeners) say(`all heard ${id}`);
};

const listen = (response: IncomingMessage): void => {
  if (response.statusCode !== 200) fail(`the feed answered ${String(response.statusCode)}`);
  response.setEncoding('utf8');
  response.on('data', eventsOf(hear));
  response.on('close', () => {
    fail('a stream ended');
  });
  here += 1;
  if (here === listeners) say('all here');
  else if (here % width === 0) connectSome();
};

/** As many connect at once; a crowd that comes within one instant is another measurement. */
const width = 50;

const connectSome = (): void => {
  const headers = { authorization: `Bearer ${key}`, 'last-event-id': cursor };
  for (let place = here; place < Math.min(here + width, listeners); place += 1)
    get(`${origin}/v1/feed`, { agent: false, headers }, listen).on('error', fail);
};

process.on('SIGTERM', () => {
  writeFileSync(file, JSON.stringify(Object.fromEntries(heardAtMs)));
  process.exit(0);
});
connectSome();
