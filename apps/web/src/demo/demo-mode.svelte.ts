import type { Outbox } from '@holdfast/outbox';
import type { Server } from '../model/server.ts';

/** Bad networks that the demo's server makes for the browser that carries the cookie. */
export const demoFaults = ['offline', 'flapping', 'lost-answers', 'portal', 'expired', 'slow'] as const;
export type DemoFault = (typeof demoFaults)[number];

/** By how many days this device's clock is wrong. */
export const clockShifts = [-1, 0, 1] as const;
export type ClockShift = (typeof clockShifts)[number];

const cookie = 'holdfast_demo_fault';
const demoKey = 'holdfast-demo';
const clockKey = 'holdfast-demo-clock';
const changedKey = 'holdfast-demo-changed';
const dayMs = 86_400_000;

/** Where a browser blocks its storage there is no demo to remember. */
const stored = {
  read(key: string): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  write(key: string, value: string | null): void {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
    } catch {
      // The panel then lasts as long as this page.
    }
  },
};

const faultInCookie = (): DemoFault | null => {
  const named = document.cookie
    .split(';')
    .map((part) => part.trim().split('='))
    .find(([name]) => name === cookie)?.[1];
  return demoFaults.find((fault) => fault === named) ?? null;
};

const storedShift = (): ClockShift => {
  const days = Number(stored.read(clockKey));
  return clockShifts.find((shift) => shift === days) ?? 0;
};

/**
 * Whether this is the demo, and which bad network or wrong clock this browser tries. Without the demo everything here
 * is off, whatever an earlier demo at this address left behind.
 */
export class DemoMode {
  #isOn = $state(stored.read(demoKey) === 'on');
  #fault = $state<DemoFault | null>(faultInCookie());
  #shift = $state<ClockShift>(storedShift());
  isPanelOpen = $state(false);
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  get fault(): DemoFault | null {
    return this.#isOn ? this.#fault : null;
  }

  get clockShift(): ClockShift {
    return this.#isOn ? this.#shift : 0;
  }

  /** The device's clock: the browser's, and in the demo off by a day where that is tried. */
  readonly nowMs = (): number => Date.now() + this.clockShift * dayMs;

  /** Asks once whether this server is a demo. No answer leaves what was known. */
  async start(): Promise<void> {
    addEventListener('storage', ({ key }) => {
      if (key === changedKey || key === clockKey) this.#read();
    });
    const answer = await this.#server.demoSignIns();
    if (answer.kind === 'unreachable') return;
    this.#isOn = answer.kind === 'answer';
    stored.write(demoKey, this.#isOn ? 'on' : null);
  }

  async choose(fault: DemoFault | null, outbox: Outbox): Promise<void> {
    const life = fault === null ? '; max-age=0' : '';
    document.cookie = `${cookie}=${fault ?? ''}; path=/; samesite=strict${life}`;
    this.#fault = fault;
    stored.write(changedKey, String(Date.now()));
    // The server cuts what this browser has open when it next hears from it.
    await this.#server.me();
    if (fault === null) await outbox.sendNow();
  }

  chooseClock(shift: ClockShift): void {
    this.#shift = shift;
    stored.write(clockKey, shift === 0 ? null : String(shift));
  }

  #read(): void {
    this.#fault = faultInCookie();
    this.#shift = storedShift();
  }
}
