import { expect, test } from 'vitest';
import type { DueItem } from './due-work.ts';
import { handleDue, type HandleDuePorts } from './handle-due.ts';
import { createSendingWindow } from './sending-window.ts';

const item = (operationId: string): DueItem => ({
  kind: 'operation',
  lane: operationId,
  organisationId: 'one',
  operationId,
  state: 'approved',
  hasEvidence: false,
});

// Red when: what waits for room in the window claims and sends although the process is ending.
test('a process that ends claims nothing more: what waited for room is due again at once', async () => {
  const window = createSendingWindow(8);
  const claimed: string[] = [];
  const givenBack: string[] = [];
  const held: (() => void)[] = [];
  let stopping = false;
  const ports = {
    providers: { accountOf: () => ({ organisationId: 'one' }), accounts: () => [] },
    windowOf: () => window,
    stopping: () => stopping,
    limiterOf: () => ({
      submission: { admit: () => Promise.resolve({ kind: 'go' }), giveBack: () => undefined },
    }),
    readSubject: (_organisationId: string, operationId: string) => {
      claimed.push(operationId);
      return new Promise((resolve) => {
        held.push(() => {
          resolve(null);
        });
      });
    },
    pushWake: (_organisationId: string, operationId: string) => {
      givenBack.push(operationId);
      return Promise.resolve();
    },
    log: () => undefined,
  } as unknown as HandleDuePorts;
  const names = Array.from({ length: 12 }, (_, index) => `operation ${String(index)}`);
  const handling = names.map((name) => handleDue(ports, item(name), {} as never, {} as never));
  await new Promise((resolve) => setImmediate(resolve));
  expect(claimed).toHaveLength(8);
  stopping = true;
  held.forEach((end) => {
    end();
  });
  await Promise.allSettled(handling);
  expect(claimed).toHaveLength(8);
  expect(givenBack).toEqual(names.slice(8));
});
