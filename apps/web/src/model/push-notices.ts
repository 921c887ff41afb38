import { roleMay } from '@holdfast/operation';
import type { Answer, Person, Server } from './server.ts';

/** Whether this browser shows notices. `not-here`: it can't, or not until the app is installed. */
export type PushStanding = 'on' | 'off' | 'blocked' | 'not-here';

const base = '/v1/me/notifications';
const nothing = (): void => undefined;
const booleanIn =
  (name: string) =>
  (body: unknown): boolean =>
    typeof body === 'object' && body !== null && (body as Record<string, unknown>)[name] === true;

/** Whose notices this browser shows. Without it they are taken to be somebody else's, and end. */
const storageKey = 'holdfast-push-person';
const shownFor = {
  read(): string | null {
    try {
      return localStorage.getItem(storageKey);
    } catch {
      return null;
    }
  },
  write(personId: string | null): void {
    try {
      if (personId === null) localStorage.removeItem(storageKey);
      else localStorage.setItem(storageKey, personId);
    } catch {
      // Then notices end with the next start, and are turned on again by a press.
    }
  },
};

const registration = async (): Promise<ServiceWorkerRegistration | null> => {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis) || !('Notification' in globalThis)) {
    return null;
  }
  const found = await navigator.serviceWorker.getRegistration();
  return found !== undefined && 'pushManager' in found ? found : null;
};

const subscriptionHere = async (): Promise<PushSubscription | null> =>
  (await (await registration())?.pushManager.getSubscription()) ?? null;

export const pushStanding = async (personId: string): Promise<PushStanding> => {
  if ((await registration()) === null) return 'not-here';
  if (Notification.permission === 'denied') return 'blocked';
  const isOn = Notification.permission === 'granted' && (await subscriptionHere()) !== null;
  return isOn && shownFor.read() === personId ? 'on' : 'off';
};

const keep = (server: Server, subscription: PushSubscription): Promise<Answer<void>> => {
  const { endpoint, keys } = subscription.toJSON();
  return server.asked(`${base}/devices`, nothing, { endpoint, keys });
};

export type TurnedOn =
  | { readonly kind: 'on' | 'blocked' | 'undecided' | 'not-here' | 'no-push-service' }
  | { readonly kind: 'refused'; readonly answer: Exclude<Answer<void>, { kind: 'answer' }> };

/** Asks the browser's permission, so only upon a person's press. */
export const turnPushOn = async (server: Server, publicKey: string, personId: string): Promise<TurnedOn> => {
  if (!('Notification' in globalThis)) return { kind: 'not-here' };
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return { kind: permission === 'denied' ? 'blocked' : 'undecided' };
  const worker = await registration();
  if (worker === null) return { kind: 'not-here' };
  let subscription: PushSubscription;
  try {
    // One that was made before may be somebody else's, or for another installation's key.
    await (await worker.pushManager.getSubscription())?.unsubscribe();
    const options = { userVisibleOnly: true, applicationServerKey: publicKey };
    subscription = await worker.pushManager.subscribe(options);
  } catch {
    return { kind: 'no-push-service' };
  }
  const answer = await keep(server, subscription);
  if (answer.kind === 'answer') {
    shownFor.write(personId);
    return { kind: 'on' };
  }
  // The server does not know of it, so it must not look as if it did.
  await subscription.unsubscribe().catch(() => false);
  return { kind: 'refused', answer };
};

/** The browser forgets it first: from then on nothing can be shown here, whether or not the server hears of it. */
export const turnPushOff = async (server: Server): Promise<void> => {
  const subscription = await subscriptionHere();
  shownFor.write(null);
  if (subscription === null) return;
  await subscription.unsubscribe().catch(() => false);
  await server.asked(`${base}/devices/end`, nothing, { endpoint: subscription.endpoint });
};

/** Somebody signs out: what is meant for them is not for whoever picks this device up next. */
export const forgetPush = async (): Promise<void> => {
  shownFor.write(null);
  await (await subscriptionHere())?.unsubscribe();
};

/** Somebody is let in: notices for another person end; one's own go on with this session, in this organisation. */
export const settlePush = async (server: Server, person: Person): Promise<void> => {
  const subscription = await subscriptionHere();
  if (subscription === null) return;
  const own = await server.asked(`${base}/devices/own`, booleanIn('own'), {
    endpoint: subscription.endpoint,
  });
  if (shownFor.read() !== person.id) {
    shownFor.write(null);
    await subscription.unsubscribe();
  } else if (own.kind === 'answer' && !own.value && roleMay(person.role, 'approver')) {
    await keep(server, subscription);
  }
};
