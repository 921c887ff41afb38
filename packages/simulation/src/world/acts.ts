import type { Operation } from '@holdfast/operation';
import type { Chance } from './chance.ts';
import type { Device } from './device.ts';
import type { History } from './history.ts';

const amounts = [1_000, 2_500, 4_000, 6_000, 10_000] as const;

/** An agent asks for a refund of some order that the device knows. */
const propose = async (history: History, device: Device, chance: Chance): Promise<void> => {
  const orderId = chance.pick(history.orderIds);
  const minor = chance.pick(amounts) ?? 1_000;
  if (orderId === undefined) return;
  const id = await device.propose(orderId, minor, chance.happens(0.7) ? 'returned' : 'goodwill');
  if (id === null) return;
  history.witness.proposals.set(id, { person: device.person.id, operationId: id, orderId, minor });
  history.trace(
    `${device.person.id} asks for ${String(minor)} of ${orderId} as ${id.slice(-4)} on ${device.name}`,
  );
};

/** What was refused as a possible duplicate is another refund, says the person who looked. */
const goOnAfterRefusal = async (history: History, device: Device, chance: Chance): Promise<void> => {
  for (const item of await device.items()) {
    const { ending } = item;
    if (item.type !== 'propose' || ending?.how !== 'verdict' || ending.status !== 'rejected') continue;
    const { problem } = ending;
    const named = (problem as { operations?: readonly { id: string }[] } | null)?.operations ?? [];
    if (named.length === 0 || !chance.happens(0.5)) continue;
    const gone = await device.goOn(
      item.operationId,
      named.map(({ id }) => id),
    );
    if (gone) history.trace(`${device.person.id} says that ${item.operationId.slice(-4)} is another one`);
  }
};

const approve = async (history: History, device: Device, operation: Operation): Promise<void> => {
  const { id, fingerprint, amount, paymentReference, version } = operation;
  if (fingerprint === null || amount === null || paymentReference === null) return;
  // What counts is what stood on the screen when the button was pressed, whatever becomes of the press.
  history.witness.approvals.push({
    person: device.person.id,
    operationId: id,
    minor: amount.minor,
    currency: amount.currency,
    paymentReference,
  });
  const saved = await device.decide({ type: 'approve', operationId: id, fingerprint, seenVersion: version });
  history.trace(
    `${device.person.id} approves ${id.slice(-4)}${saved ? '' : ', and is told that it is not saved'}`,
  );
};

const decided = new WeakMap<Device, Set<string>>();

/** An approver looks at what waits and decides some of it, once for each version that is shown. */
export const decideSome = async (
  history: History,
  device: Device,
  chance: Chance,
  share: number,
): Promise<void> => {
  const done = decided.get(device) ?? new Set<string>();
  decided.set(device, done);
  for (const operation of device.operations()) {
    const key = `${operation.id} ${String(operation.version)}`;
    const { id, state } = operation;
    if (state === 'proposed' && !done.has(key) && chance.happens(share)) {
      done.add(key);
      if (history.healed || chance.happens(0.88)) await approve(history, device, operation);
      else {
        await device.decide({ type: 'deny', operationId: id, reason: 'not this one' });
        history.trace(`${device.person.id} denies ${id.slice(-4)}`);
      }
    } else if (!history.healed && state === 'approved' && !done.has(`${key} back`) && chance.happens(0.05)) {
      done.add(`${key} back`);
      await device.decide({ type: 'withdraw', operationId: id });
      history.trace(`${device.person.id} takes the approval of ${id.slice(-4)} back`);
    }
  }
};

const cancelSome = async (history: History, device: Device, chance: Chance): Promise<void> => {
  const [first] = device
    .operations()
    .filter(
      ({ state, proposedBy }) =>
        (state === 'proposed' || state === 'approved') &&
        (proposedBy.id === device.person.id || chance.happens(0.1)),
    );
  if (first === undefined || !chance.happens(0.04)) return;
  await device.decide({ type: 'cancel', operationId: first.id, reason: 'changed their mind' });
  history.trace(`${device.person.id} cancels ${first.id.slice(-4)}`);
};

/** People and their devices, for as long as the history lasts. */
export const letPeopleAct = (history: History): void => {
  const { plan } = history;
  let left = plan.refunds;
  for (const device of history.devices) {
    // Where nothing can have changed it seldom looks: that costs much time and shows nothing.
    history.every(`${device.name} sends`, 300, 1_800, async (chance) => {
      if (device.mayHaveWork || chance.happens(0.1)) await device.round();
    });
    history.every(`${device.name} reads`, 400, 2_500, async (chance) => {
      const { written } = history;
      if (device.readThrough !== written || chance.happens(0.05)) await device.pollFeed(written);
    });
    if (device.person.role === 'agent') {
      history.every(`${device.name} asks`, 500, 6_000, async (chance) => {
        if (history.healed || left <= 0) return;
        left -= 1;
        await propose(history, device, chance);
      });
      history.every(`${device.name} looks`, 2_000, 6_000, async (chance) => {
        if (history.healed) return;
        await goOnAfterRefusal(history, device, chance);
        await cancelSome(history, device, chance);
      });
    }
    if (device.person.role === 'approver') {
      history.every(`${device.name} decides`, 600, 3_000, (chance) =>
        decideSome(history, device, chance, 0.7),
      );
    }
    if (history.has('tabs')) {
      history.every(`${device.name} reopens`, 4_000, 20_000, () => {
        if (!history.healed) device.reopenTab();
      });
    }
  }
};
