import { noTroubles } from '../provider/pretend-provider.ts';
import { noDatabaseTroubles } from './processes.ts';
import { noNetworkTroubles } from './device.ts';
import type { History } from './history.ts';

/** Lets go wrong what this history's plan says may. */
export const beginTroubles = (history: History): void => {
  const { plan, provider, network, databaseTroubles } = history;
  const much = plan.intensity;
  const at = (trouble: Parameters<History['has']>[0], share: number): number =>
    history.has(trouble) ? share * much : 0;
  provider.lenient = history.has('lenient-provider');
  provider.troubles = {
    lost: at('lost-answers', 0.15),
    answerLost: at('lost-answers', 0.35),
    late: at('late-requests', 0.25),
    serverError: at('server-errors', 0.25),
    refusal: at('refusals', 0.2),
    gateRefusal: at('unkept-refusals', 0.3),
    crossed: at('crossed-answers', 0.3),
    otherAmount: at('other-amounts', 0.3),
    deferral: at('refusals', 0.2),
    pending: at('pending', 0.5),
    silent: at('lost-answers', 0.3),
    listingLagMs: history.has('stale-records') ? 45_000 : history.has('listing-lag') ? 6_000 : 0,
    lateFailure: at('late-failures', 0.5),
  };
  Object.assign(network, {
    offline: at('network', 0.2),
    lost: at('network', 0.15),
    answerLost: at('network', 0.2),
    answerLate: at('network', 0.3),
    doubled: at('network', 0.2),
    late: at('network', 0.15),
    stranger: at('strangers', 0.3),
  });
  Object.assign(databaseTroubles, {
    deaths: at('crashes', 0.012),
    freezes: at('freezes', 0.02),
    claimFreezes: at('frozen-claims', 0.4),
    refused: at('database', 0.03),
    broken: at('database', 0.02),
    unheard: at('database', 0.03),
  });
};

/** By how much a clock jumps: a little, as when it is set right, and by hours, as when it was set wrong. */
const jumpsMs = [2_000, 20_000, 600_000, 86_400_000] as const;

const jumpClocks = (history: History): void => {
  history.every('clock jumps', 3_000, 15_000, (chance) => {
    if (history.healed) return;
    const clocks = [
      history.server.mortal,
      ...history.workers.map(({ mortal }) => mortal),
      ...history.devices,
    ];
    const clock = chance.pick(clocks);
    const byMs = (chance.pick(jumpsMs) ?? 0) * (chance.happens(0.5) ? 1 : -1);
    if (clock === undefined) return;
    clock.skewMs += byMs;
    history.trace(`the clock of ${clock.name} jumps by ${String(byMs / 1_000)} s`);
  });
};

const endSessions = (history: History): void => {
  history.every('sessions', 4_000, 15_000, (chance) => {
    const device = chance.pick(history.devices);
    if (history.healed || device === undefined || device.isSessionOver) return;
    device.isSessionOver = true;
    history.trace(`the session on ${device.name} ends`);
    history.scheduler.later(chance.between(1_000, 10_000), null, () => {
      if (device.isSessionOver) history.start(() => device.signIn());
    });
  });
};

export const letTroublesHappen = (history: History): void => {
  const { provider } = history;
  const while_ = (act: () => void) => (): void => {
    if (!history.healed) act();
  };
  history.every('revival', 300, 2_000, () => history.revive());
  if (history.has('freezes')) {
    history.every('freezes', 3_000, 15_000, (chance) => {
      const worker = chance.pick(history.workers);
      if (history.healed || worker === undefined) return;
      worker.mortal.frozenUntilMs = history.scheduler.nowMs() + chance.between(500, 15_000);
      history.trace(`${worker.mortal.name} stands still for a while`);
    });
  }
  if (history.has('database')) {
    history.every('the database goes', 5_000, 25_000, (chance) => {
      if (history.healed) return;
      history.databaseTroubles.away = true;
      history.trace('the database is away');
      history.scheduler.later(chance.between(300, 6_000), null, () => {
        history.databaseTroubles.away = false;
        history.trace('the database is back');
      });
    });
  }
  history.every('pending ends', 1_500, 8_000, (chance) => {
    for (const refund of provider.ledger.refunds) {
      if (refund.status === 'pending' && chance.happens(0.4))
        provider.settlePending(chance.happens(0.7), refund);
    }
  });
  history.every('late failures', 4_000, 20_000, (chance) =>
    while_(() => {
      const refund = chance.pick(provider.ledger.refunds);
      if (refund !== undefined && chance.happens(provider.troubles.lateFailure)) provider.failLate(refund);
    })(),
  );
  if (history.has('refunds-by-hand')) {
    history.every('refunds by hand', 3_000, 20_000, (chance) => {
      const [, ...names] = ['', ...provider.ledger.captured.keys()];
      const payment = chance.pick(names);
      if (history.healed || payment === undefined || !chance.happens(0.5)) return;
      provider.refundByHand(payment, chance.pick([1_000, 2_500, 6_000]) ?? 1_000);
    });
  }
  if (history.has('clock-jumps')) jumpClocks(history);
  if (history.has('sessions')) endSessions(history);
  if (history.has('disputes')) {
    history.every('disputes', 5_000, 25_000, (chance) => {
      const open = provider.ledger.disputes.find((dispute) => dispute.open);
      if (open !== undefined) return chance.happens(0.5) ? provider.closeDispute(open) : undefined;
      const payment = chance.pick([...provider.ledger.captured.keys()]);
      if (!history.healed && payment !== undefined && chance.happens(0.5)) provider.openDispute(payment);
    });
  }
};

/** Of what was made before, lists show everything by then. */
const shownWithinMs = 6_000;

/** Everything works again: what has died is started, what stood still goes on, and nothing more goes wrong. */
export const heal = (history: History): void => {
  const { provider, network, databaseTroubles, scheduler } = history;
  history.healed = true;
  history.healedAtMs = scheduler.nowMs();
  history.trace('everything is healed');
  provider.troubles = noTroubles();
  Object.assign(network, noNetworkTroubles());
  Object.assign(databaseTroubles, noDatabaseTroubles());
  for (const { mortal } of [history.server, ...history.workers]) mortal.frozenUntilMs = 0;
  provider.showAllBy(scheduler.nowMs() + shownWithinMs);
  for (const dispute of provider.ledger.disputes) if (dispute.open) provider.closeDispute(dispute);
  for (const device of history.devices) {
    if (device.isSessionOver) history.start(() => device.signIn());
    device.lookUpFirst();
  }
  scheduler.later(10, null, () => history.revive());
};
