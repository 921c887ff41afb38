import { describe, expect, test } from 'vitest';
import { freshBudget, type AccountBudget } from '../limit/account-budget.ts';
import { createAccountLimiter, type AccountLimiter, type BudgetKind } from './account-limiter.ts';

const startMs = 1_000_000_000;

/** Processes that share one budget, over a clock that moves when somebody pauses or the test says so. */
const createProcesses = (
  count: number,
): {
  readonly limiters: readonly AccountLimiter[];
  readonly clock: { nowMs: number };
  readonly changes: () => number;
} => {
  const clock = { nowMs: startMs };
  const budgets = new Map<BudgetKind, AccountBudget>();
  let changes = 0;
  const one = (): AccountLimiter =>
    createAccountLimiter({
      clock: {
        nowMs: () => clock.nowMs,
        pause: (ms) => {
          clock.nowMs += ms;
          return Promise.resolve();
        },
      },
      change: (kind, decide) => {
        changes += 1;
        const { budget, answer } = decide(budgets.get(kind) ?? freshBudget, clock.nowMs);
        budgets.set(kind, budget);
        return Promise.resolve({ answer, nowMs: clock.nowMs });
      },
      onTrouble: (error) => {
        throw error;
      },
    });
  return { limiters: Array.from({ length: count }, one), clock, changes: () => changes };
};

const limiterOf = (limiters: readonly AccountLimiter[], index: number): AccountLimiter => {
  const limiter = limiters[index];
  if (limiter === undefined) throw new Error('no such process');
  return limiter;
};

const refused = { because: 'rate-limited', retryAfterMs: null } as const;

/** The other process learns of it when it looks next. */
const lookAgainMs = 300;

describe('a budget shared by processes', () => {
  test('while nothing limits, hundreds of requests go for a handful of looks at the budget', async () => {
    // Red when: every request asks the database.
    const { limiters, clock, changes } = createProcesses(1);
    const { submission } = limiterOf(limiters, 0);
    for (let made = 0; made < 500; made += 1) {
      expect(await submission.admit()).toEqual({ kind: 'go' });
      clock.nowMs += 2;
    }
    expect(changes()).toBeLessThan(10);
  });

  test('what the provider asks of one process, all heed: nobody submits before it wants', async () => {
    // Red when: `refused` is kept in the process that met it.
    const { limiters, clock } = createProcesses(2);
    const [one, two] = [limiterOf(limiters, 0), limiterOf(limiters, 1)];
    await one.submission.admit();
    await two.submission.admit();
    one.submission.refused({ because: 'rate-limited', retryAfterMs: 30_000 });
    clock.nowMs += lookAgainMs;
    for (const { submission } of limiters) {
      const answer = await submission.admit();
      expect(answer).toMatchObject({ kind: 'later', because: 'asked-to-wait' });
      if (answer.kind === 'later') expect(answer.afterMs).toBeGreaterThanOrEqual(30_000 - lookAgainMs);
    }
    clock.nowMs += 30_000;
    expect(await two.submission.admit()).toEqual({ kind: 'go' });
  });

  test('a limit on submissions leaves questions alone, and the other way round', async () => {
    // Red when: both kinds draw on one budget.
    for (const [limited, free] of [
      ['submission', 'question'],
      ['question', 'submission'],
    ] as const) {
      const { limiters, clock } = createProcesses(1);
      const limiter = limiterOf(limiters, 0);
      await limiter[limited].admit();
      limiter[limited].refused({ because: 'rate-limited', retryAfterMs: 60_000 });
      clock.nowMs += lookAgainMs;
      expect(await limiter[limited].admit()).toMatchObject({ kind: 'later' });
      for (let made = 0; made < 100; made += 1) expect(await limiter[free].admit()).toEqual({ kind: 'go' });
    }
  });

  test('two processes together keep to one pace, and a slot that was given back is used', async () => {
    // Red when: each process has the whole pace for itself.
    const { limiters, clock } = createProcesses(2);
    const first = limiterOf(limiters, 0).submission;
    for (let made = 0; made < 40; made += 1) await first.admit();
    first.refused(refused);
    clock.nowMs += 2_000;
    const fromMs = clock.nowMs;
    let letIn = 0;
    while (clock.nowMs < fromMs + 5_000) {
      for (const { submission } of limiters) if ((await submission.admit()).kind === 'go') letIn += 1;
      clock.nowMs += 5;
    }
    // Forty were refused within their second: twenty a second at first, and a tenth more with each second.
    const seconds = (clock.nowMs - fromMs) / 1_000;
    expect(letIn).toBeLessThanOrEqual(20 * 1.1 ** seconds * seconds);
    expect(letIn).toBeGreaterThanOrEqual(15 * (seconds - 1));
  });

  test('a listing goes ahead of a full line of questions, but not against the provider’s wish', async () => {
    // Red when: `admitAhead` waits for a slot, or does not look at the pause.
    const { limiters, clock } = createProcesses(1);
    const { question } = limiterOf(limiters, 0);
    await question.admit();
    question.refused({ because: 'rate-limited', retryAfterMs: 5_000 });
    expect(question.admitAhead()).toMatchObject({ kind: 'later', because: 'asked-to-wait' });
    clock.nowMs += 6_000;
    expect(question.admitAhead()).toEqual({ kind: 'go' });
  });

  test('a clock that is put back keeps nobody waiting for as long as it jumped', async () => {
    // Red when: a time in hand, of this process's clock, is believed after the clock was put back.
    const dayMs = 86_400_000;
    const clock = { nowMs: startMs, databaseMs: startMs };
    let budget = freshBudget;
    const { submission, question } = createAccountLimiter({
      clock: { nowMs: () => clock.nowMs, pause: () => Promise.resolve() },
      change: (_kind, decide) => {
        const changed = decide(budget, clock.databaseMs);
        ({ budget } = changed);
        return Promise.resolve({ answer: changed.answer, nowMs: clock.databaseMs });
      },
      onTrouble: (error) => {
        throw error;
      },
    });
    await submission.admit();
    submission.refused({ because: 'rate-limited', retryAfterMs: 30_000 });
    await Promise.resolve();
    clock.nowMs -= dayMs;
    clock.databaseMs += 60_000;
    expect(submission.closed()).toBeNull();
    expect(await submission.admit()).toEqual({ kind: 'go' });
    expect(question.admitAhead()).toEqual({ kind: 'go' });
  });
});
