import type { Engine, Principal, SubmittedCommand } from '@holdfast/engine';
import type { CommandResult } from '@holdfast/operation';

export type EngineDouble = {
  readonly engine: Engine;
  readonly asked: string[];
  readonly commands: SubmittedCommand[];
};

const unused = (name: string) => (): never => {
  throw new Error(`the test did not expect ${name}`);
};

const page = { items: [], nextCursor: null };

/** An engine that answers plainly and remembers what it was asked: for tests of what stands before it. */
export const engineDouble = (overrides: Partial<Engine> = {}): EngineDouble => {
  const asked: string[] = [];
  const commands: SubmittedCommand[] = [];
  const note = <Answer>(name: string, answer: Answer) => {
    asked.push(name);
    return Promise.resolve(answer);
  };
  const verdict = (submitted: SubmittedCommand): CommandResult =>
    submitted.ok
      ? { commandId: submitted.command.commandId, status: 'applied' }
      : { commandId: submitted.commandId, status: 'rejected', problem: submitted.problem };
  const engine: Engine = {
    apply: (_who: Principal, submitted) => {
      commands.push(...submitted);
      return note('apply', submitted.map(verdict));
    },
    getOperation: () => note('getOperation', null),
    listOperations: () => note('listOperations', page),
    lookUp: (_who, ids) => note('lookUp', { operations: Object.fromEntries(ids.map((id) => [id, null])) }),
    check: () => note('check', { kind: 'not-found' as const }),
    eraseConversation: unused('eraseConversation'),
    cases: {
      act: unused('cases.act'),
      followUp: unused('cases.followUp'),
      takers: () => note('cases.takers', []),
    },
    providerLedger: () => note('providerLedger', null),
    getOrder: () => note('getOrder', null),
    searchOrders: () => note('searchOrders', page),
    putOrder: unused('putOrder'),
    getTicket: () => note('getTicket', null),
    searchTickets: () => note('searchTickets', page),
    putTicket: unused('putTicket'),
    feed: {
      resume: (_who, cursor) => Promise.resolve({ kind: 'resume' as const, cursor }),
      snapshot: async function* () {
        yield await Promise.resolve({ changes: [], cursor: 'cursor-0' });
      },
      changesAfter: (_who, cursor) => Promise.resolve({ changes: [], cursor }),
      watch: () => () => undefined,
      generation: () => Promise.resolve('generation-1'),
    },
    receiveWebhook: () => note('receiveWebhook', { kind: 'refused' as const, because: 'bad-signature' }),
    metrics: () => note('metrics', { samples: [], reconciliationSeconds: [] }),
    numbers: () => note('numbers', null),
    pendingTimes: () => note('pendingTimes', { items: [] }),
    hold: {
      get: unused('hold.get'),
      standing: () => note('hold.standing', {} as never),
      set: unused('hold.set'),
      lift: unused('hold.lift'),
    },
    policy: {
      show: () => note('policy.show', {} as never),
      preview: () => note('policy.preview', {} as never),
      change: () => note('policy.change', { ok: true, outcome: 'unchanged', desk: {} as never } as const),
      approve: () => note('policy.approve', { ok: true, outcome: 'in-force', desk: {} as never } as const),
      refuse: () => note('policy.refuse', { ok: true, outcome: 'refused', desk: {} as never } as const),
    },
    createOrganisation: unused('createOrganisation'),
    ...overrides,
  };
  return { engine, asked, commands };
};
