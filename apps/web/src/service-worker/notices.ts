/*
 * Notices that reach this device while the app may be closed. What they say was decided by the server; where a press leads
 * is decided here, so that no notice leads anywhere else.
 */
declare const self: ServiceWorkerGlobalScope;

const approvals = '/approvals';

type Told = { readonly title: string; readonly body: string; readonly tag: string };

const textIn = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value.slice(0, 300) : otherwise;

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
  };
};

const show = (event: PushEvent): Promise<void> => {
  const { title, body, tag } = readTold(event);
  // By its tag a later one replaces it; `renotify` lets it be heard again, since more may wait now.
  const options: NotificationOptions & { readonly renotify: boolean } = {
    ...{ body, tag, renotify: true, icon: '/icons/icon-192.png' },
  };
  return self.registration.showNotification(title, options);
};

/** Never takes a page away from somebody who is filling it in: the approvals come up in a window of their own. */
const openApprovals = async (): Promise<void> => {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = windows.find(({ url }) => new URL(url).pathname === approvals);
  if (there === undefined) await self.clients.openWindow(approvals);
  else await there.focus();
};

export const listenForNotices = (): void => {
  self.addEventListener('push', (event) => event.waitUntil(show(event)));
  self.addEventListener('notificationclick', (event) => {
    event.notification.close();
    event.waitUntil(openApprovals());
  });
};
