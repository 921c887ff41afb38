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

/** Items in which a person said which refunds theirs is not. */
const saidToDiffer = new WeakMap<Device, Map<string, readonly string[]>>();

/** What was refused as a possible duplicate is another refund, says the person who looked. */
const goOnAfterRefusal = async (history: History, device: Device, chance: Chance): Promise<void> => {
  for (const item of await device.items()) {
    const { ending } = item;
    if (item.type !== 'propose' || ending?.how !== 'verdict' || ending.status !== 'rejected') continue;
    const { problem } = ending;
    const { operations = [], elsewhere = [] } = (problem ?? {}) as {
      readonly operations?: readonly { readonly id: string }[];
      readonly elsewhere?: readonly { readonly reference: string }[];
    };
    const named = [...operations.map(({ id }) => id), ...elsewhere.map(({ reference }) => reference)];
    if (named.length === 0 || !problem?.type.endsWith('/possible-duplicate')) continue;
    const said = saidToDiffer.get(device) ?? new Map<string, readonly string[]>();
    saidToDiffer.set(device, said);
    history.witness.refusedAsDuplicate(item.operationId, named, said.get(item.key) ?? []);
    if (!chance.happens(0.5)) continue;
    const gone = await device.goOn(item.operationId, named);
    if (gone === null) continue;
    said.set(gone, named);
    history.trace(`${device.person.id} says that ${item.operationId.slice(-4)} is another one`);
  }
};

/** The screen moved under the finger: another operation than the one that was looked at is named. */
const missed = (history: History, device: Device, operation: Operation, chance: Chance): string => {
  if (!history.has('wrong-taps') || history.healed || !chance.happens(0.4)) return operation.id;
  // Two of the very same content have one fingerprint: whoever approves that has approved either.
  const others = device
    .operations()
    .filter(({ fingerprint, state }) => fingerprint !== operation.fingerprint && state === 'proposed');
  return chance.pick(others)?.id ?? operation.id;
};

const approve = async (
  history: History,
  device: Device,
  operation: Operation,
  chance: Chance,
): Promise<void> => {
  const { id, fingerprint, amount, paymentReference, version, orderId } = operation;
  const order = orderId === null ? undefined : device.order(orderId);
  if (fingerprint === null || amount === null || paymentReference === null || order === undefined) return;
  // Screens say with it what was seen, programs need not.
  const saysWhatWasSeen = chance.happens(0.6);
  // What counts is what stood on the screen when the button was pressed, whatever becomes of the press.
  history.witness.approvals.push({
    person: device.person.id,
    operationId: id,
    minor: amount.minor,
    currency: amount.currency,
    paymentReference,
    atMs: history.scheduler.nowMs(),
    saysWhatWasSeen,
  });
  const operationId = missed(history, device, operation, chance);
  const seen = { refundable: order.refundable, orderVersion: order.version };
  const saved = await device.decide({
    ...({ type: 'approve', operationId, fingerprint, seenVersion: version } as const),
    ...(saysWhatWasSeen ? { seen } : {}),
  });
  const instead = operationId === id ? '' : ` and ${operationId.slice(-4)} is sent`;
  history.trace(
    `${device.person.id} approves ${id.slice(-4)}${instead}${saved ? '' : ', and is told that it is not saved'}`,
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
    const { id, state, orderId } = operation;
    const order = orderId === null ? undefined : device.order(orderId);
    const key = `${id} ${String(operation.version)} ${String(order?.version)}`;
    if (state === 'proposed' && !done.has(key) && chance.happens(share)) {
      done.add(key);
      if (history.healed || chance.happens(0.88)) await approve(history, device, operation, chance);
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
      if (device.mayHaveWork() || chance.happens(0.05)) await device.round();
    });
    history.every(`${device.name} reads`, 400, 2_500, async (chance) => {
      const { written, server } = history;
      const isUpToDate = device.readThrough === written && device.isReadingFrom(server);
      if (!isUpToDate || chance.happens(0.03)) await device.pollFeed(written);
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
