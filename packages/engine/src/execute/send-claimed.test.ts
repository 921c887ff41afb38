import { expect, test } from 'vitest';
import type { AttemptReport, ProviderAdapter } from '@holdfast/providers';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import { accountOver } from '../../test/worker-house.ts';
import { createAccountLimiter } from '../worker/account-limiter.ts';
import { freshBudget } from '../limit/account-budget.ts';
import type { Claimed } from './claimed.ts';
import { sendClaimed, type SendClaimedPorts } from './send-claimed.ts';

const claimed: Claimed = {
  organisationId: 'organisation',
  operationId: 'operation',
  attemptNumber: 1,
  fence: 1,
  request: {
    method: 'POST',
    path: '/v1/refunds',
    contentType: 'application/x-www-form-urlencoded',
    body: '',
    idempotencyKey: 'key',
    apiVersion: 'scripted-1',
  },
  expected: {
    organisationId: 'organisation',
    operationId: 'operation',
    idempotencyKey: 'key',
    paymentReference: 'pi_1',
    amount: { minor: 1_000, currency: 'EUR' },
    reason: 'other',
  },
  firstSend: true,
};

const unlimited = createAccountLimiter({
  clock: { nowMs: () => 0, pause: () => Promise.resolve() },
  change: (_kind, decide) => Promise.resolve({ answer: decide(freshBudget, 0).answer, nowMs: 0 }),
  onTrouble: () => undefined,
});

/** Sends with a last check whose answer arrives this much later, by the process's own clock, or never does. */
const sendAfter = async (
  answeredAfterMs: number | 'never',
): Promise<{
  readonly requests: number;
  readonly report: AttemptReport | undefined;
  /** How long the request may take, by the clock as it was when it left. */
  readonly timeMs: number | undefined;
}> => {
  const provider = createScriptedProvider();
  let timeMs: number | undefined;
  const adapter: ProviderAdapter = {
    ...provider.adapter,
    submit: (request, expected, deadlineMs) => {
      timeMs = deadlineMs - nowMs;
      return provider.adapter.submit(request, expected, deadlineMs);
    },
  };
  let nowMs = 100_000_000;
  let report: AttemptReport | undefined;
  const ports: SendClaimedPorts = {
    clock: { nowMs: () => nowMs, pause: () => Promise.resolve() },
    log: () => undefined,
    stopping: () => false,
    limiterOf: () => unlimited,
    readBeforeSend: () => {
      if (answeredAfterMs === 'never') return Promise.reject(new Error('the connection was closed'));
      const facts = {
        nowMs,
        state: 'submitting',
        fence: 1,
        leaseUntilMs: nowMs + 60_000,
        replayDeadlineMs: null,
        onHold: false,
      } as const;
      nowMs += answeredAfterMs;
      return Promise.resolve(facts);
    },
    storeAnswer: () => Promise.resolve(),
    storeAndSettle: (_account, _attempt, given) => {
      report = given;
      return Promise.resolve();
    },
    settle: () => Promise.resolve(),
  };
  await sendClaimed(ports, accountOver(adapter, 'organisation'), claimed, 10_000);
  return { requests: provider.requests.length, report, timeMs };
};

// Red when: the deadline is counted from the answer to the last check, or not looked at before the adapter is called.
test('a process frozen while its last check is answered sends nothing once it thaws, and says so', async () => {
  expect(await sendAfter(3_600_000)).toMatchObject({
    requests: 0,
    report: { finding: { kind: 'not-sent' } },
  });
  expect(await sendAfter(20)).toMatchObject({ requests: 1, report: { finding: { kind: 'accepted' } } });
});

// Red when: what the last look throws is thrown on, and the attempt stays without an end.
test('where the last look fails nothing is sent, and the attempt’s end says so', async () => {
  expect(await sendAfter('never')).toMatchObject({
    requests: 0,
    report: { finding: { kind: 'not-sent', because: 'last-look-failed' } },
  });
});

// Red when: the deadline is counted from before the last check alone, so that a request outlives the lease it is made under.
test('a clock that is put back while the last check is answered gives the request no more time than it may take', async () => {
  expect(await sendAfter(-3_600_000)).toMatchObject({ requests: 1, timeMs: 10_000 });
  expect(await sendAfter(20)).toMatchObject({ requests: 1, timeMs: 9_980 });
});
