/*
 * Notices that reach this device while the app may be closed. What they say was decided by the server; where a press leads
 * is decided here, so that no notice leads anywhere else.
 */
declare const self: ServiceWorkerGlobalScope;

const places = ['/approvals', '/uncertain', '/came-back', '/settings/webhooks'] as const;

type Told = {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly place: (typeof places)[number];
};

const textIn = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value.slice(0, 300) : otherwise;

const placeIn = (value: unknown): Told['place'] => places.find((place) => place === value) ?? '/approvals';

/** A push that cannot be read is shown all the same: a browser takes the right from whoever shows nothing. */
const readTold = (event: PushEvent): Told => {
  let told: Partial<Record<keyof Told, unknown>> = {};
  try {
    told = (event.data?.json() ?? {}) as typeof told;
  } catch {
    // Said below in general words.
  }
  return {
    title: textIn(told.title, 'Holdfast'),
    body: textIn(told.body, 'Something waits for you.'),
    tag: textIn(told.tag, 'holdfast'),
    place: placeIn(told.place),
  };
};

const show = (event: PushEvent): Promise<void> => {
  const { title, body, tag, place } = readTold(event);
  // By its tag a later one replaces it; `renotify` lets it be heard again, since more may wait now.
  const options: NotificationOptions & { readonly renotify: boolean } = {
    ...{ body, tag, renotify: true, icon: '/icons/icon-192.png', data: { place } },
  };
  return self.registration.showNotification(title, options);
};

/** Never takes a page away from somebody who is filling it in: what waits comes up in a window of its own. */
const openPlace = async (place: Told['place']): Promise<void> => {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = windows.find(({ url }) => new URL(url).pathname === place);
  if (there === undefined) await self.clients.openWindow(place);
  else await there.focus();
};

export const listenForNotices = (): void => {
  self.addEventListener('push', (event) => event.waitUntil(show(event)));
  self.addEventListener('notificationclick', (event) => {
    event.notification.close();
    const { place } = (event.notification.data ?? {}) as { place?: unknown };
    event.waitUntil(openPlace(placeIn(place)));
  });
};
