import { Dexie } from 'dexie';
import { expect, inject } from 'vitest';
import type { BrowserOutboxOptions } from '../../src/browser/browser.ts';
import { QueueDatabase } from '../../src/browser/queue-database.ts';
import type { LiveQuery, LiveRead, LiveValue } from '../../src/live-query.ts';
import type { DeviceItem, Outbox } from '../../src/outbox-interface.ts';
import { sampleOrderSeen, sampleProposal } from '../samples.ts';
import type { ServerFault, ServerReport } from './pretend-server.ts';
import type { ServerOrder } from './server-control.ts';
import type { Loaded } from './tab.ts';

export type Tab = {
  readonly outbox: Outbox;
  readonly loaded: Loaded;
  readonly frame: HTMLIFrameElement;
  /** The tab is gone, with whatever it was doing. */
  kill(): void;
};

export type Asked<Query extends LiveQuery> = {
  readonly reads: LiveRead<LiveValue<Query>>[];
  latest(): LiveRead<LiveValue<Query>> | undefined;
  readonly stop: () => void;
};

/** Holds a lock as a page does that the browser froze; call what it returns to thaw it. */
export const holdLock = (name: string): (() => void) => {
  let thaw = (): void => undefined;
  const frozen = new Promise<void>((resolve) => {
    thaw = resolve;
  });
  navigator.locks.request(name, () => frozen).catch(() => undefined);
  return thaw;
};

/** One device: databases of its own, a server of its own, and tabs that are frames of this page. */
export class BrowserWorld {
  /** Two files that begin in the same millisecond must not be one device. */
  readonly name = `test-${crypto.randomUUID()}`;
  readonly tabs: Tab[] = [];
  url = '';
  /** A script that runs in the next tabs before the app is loaded: what kind of browser they are. */
  beforeLoad = '';
  readonly options: BrowserOutboxOptions;

  constructor(options: BrowserOutboxOptions = {}) {
    this.options = options;
  }

  static async open(options: BrowserOutboxOptions = {}): Promise<BrowserWorld> {
    const world = new BrowserWorld(options);
    world.url = (await world.tell({ do: 'create' })) as string;
    return world;
  }

  async tell(order: ServerOrder): Promise<unknown> {
    const body = JSON.stringify({ name: this.name, order });
    const response = await fetch(inject('serverControl'), { method: 'POST', body });
    return response.json();
  }

  async report(): Promise<ServerReport> {
    return (await this.tell({ do: 'report' })) as ServerReport;
  }

  /** What happens to the next requests, in place of what was planned before. */
  faults(...faults: ServerFault[]): Promise<unknown> {
    return this.tell({ do: 'faults', faults });
  }

  outboxOptions(options: BrowserOutboxOptions = {}): BrowserOutboxOptions {
    return {
      baseUrl: this.url,
      name: this.name,
      requestTimeoutMs: 1_500,
      firstPauseMs: 20,
      longestPauseMs: 100,
      readFeed: false,
      useLocks: inject('useLocks'),
      ...this.options,
      ...options,
    };
  }

  async openTab(
    start: { subject?: string | null } = { subject: 'ann' },
    options: BrowserOutboxOptions = {},
    prepare: (window: Window) => void = () => undefined,
  ): Promise<Tab> {
    const frame = document.createElement('iframe');
    frame.srcdoc = `<script>${this.beforeLoad}</script><script type="module" src="/test/browser/tab.ts"></script>`;
    document.body.append(frame);
    await expect.poll(() => frame.contentWindow?.holdfast !== undefined, { timeout: 15_000 }).toBe(true);
    const loaded = frame.contentWindow?.holdfast;
    if (!loaded) throw new Error('the tab did not load');
    if (frame.contentWindow) prepare(frame.contentWindow);
    const outbox = loaded.createBrowserOutbox(this.outboxOptions(options));
    const tab: Tab = { outbox, loaded, frame, kill: () => frame.remove() };
    this.tabs.push(tab);
    await outbox.start(start);
    return tab;
  }

  async queue(tab: Tab, orderId = 'order-1'): Promise<string> {
    const begun = await tab.outbox.begin(sampleOrderSeen(orderId));
    if (begun.kind !== 'draft') throw new Error(`no draft: ${JSON.stringify(begun)}`);
    const queued = await tab.outbox.queue(begun.draft.operationId, sampleProposal(orderId));
    if (!queued.saved) throw new Error(`not saved: ${JSON.stringify(queued)}`);
    return queued.operationId;
  }

  ask<Query extends LiveQuery>(tab: Tab, query: Query): Asked<Query> {
    const reads: LiveRead<LiveValue<Query>>[] = [];
    const stop = tab.outbox.watch(query, (read) => reads.push(read));
    return { reads, latest: () => reads.at(-1), stop };
  }

  async read<Query extends LiveQuery>(tab: Tab, query: Query): Promise<LiveRead<LiveValue<Query>>> {
    const asked = this.ask(tab, query);
    await expect.poll(() => asked.latest()?.state, { timeout: 5_000 }).not.toBe('loading');
    asked.stop();
    return asked.latest() as LiveRead<LiveValue<Query>>;
  }

  async items(tab: Tab, operationId?: string): Promise<readonly DeviceItem[]> {
    const query =
      operationId === undefined ? ({ of: 'items' } as const) : ({ of: 'items', operationId } as const);
    const read = await this.read(tab, query);
    return read.state === 'ready' ? read.value : [];
  }

  async untilReceived(tab: Tab, operationId: string): Promise<void> {
    await expect
      .poll(async () => (await this.items(tab, operationId)).map(({ safety }) => safety), { timeout: 10_000 })
      .toEqual(['received']);
  }

  /** The texts under which an operation's proposal arrived. */
  async arrivedTexts(operationId: string): Promise<string[]> {
    const { arrived } = await this.report();
    return arrived.filter(({ commandId }) => commandId === operationId).map(({ text }) => text);
  }

  async storedBody(operationId: string): Promise<string | undefined> {
    const database = new QueueDatabase(`${this.name}-queue`, () => undefined);
    const row = (await database.entries.get(`${operationId}/propose/1`)) as { body: string } | undefined;
    database.close();
    return row?.body;
  }

  /** The same, without opening the queue by its own code: that would upgrade it. */
  async storedBodyBefore(operationId: string): Promise<string | undefined> {
    const database = await new Dexie(`${this.name}-queue`).open();
    const row = (await database.table('entries').get(`${operationId}/propose/1`)) as
      { body: string } | undefined;
    database.close();
    return row?.body;
  }

  async close(): Promise<void> {
    for (const { frame, outbox } of this.tabs) {
      if (frame.isConnected) await outbox.stop();
      frame.remove();
    }
    await this.tell({ do: 'close' });
    // All devices of a run share this page's host: their cookies would become more than a request may carry.
    document.cookie = `${this.name}-list=; Path=/; Max-Age=0`;
    localStorage.removeItem(`${this.name}-sign-out`);
  }
}
