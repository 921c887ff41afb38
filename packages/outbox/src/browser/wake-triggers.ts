import type { Unsubscribe } from '../outbox-interface.ts';
import type { Clock } from '../ports.ts';
import { isTimeJump } from '../send/time-jump.ts';
import type { TimeSeen } from '../send/time-jump.ts';

/** `back`: the page was frozen or hidden and is here again, so what it believed of its connections is old. */
export type Wake = 'online' | 'visible' | 'focus' | 'back';

/**
 * Listens to everything that may mean "the connection is back". None of it is proof; each is only a reason to try.
 * @param gone called when the browser says that it has no network, also where that is so from the beginning
 */
export const listenForWakes = (wake: (because: Wake) => void, gone: () => void): Unsubscribe => {
  if (typeof window === 'undefined') return () => undefined;
  if (!navigator.onLine) gone();
  const online = (): void => wake('online');
  const focus = (): void => wake('focus');
  const visible = (): void => {
    if (document.visibilityState === 'visible') wake('visible');
  };
  const shown = (event: PageTransitionEvent): void => {
    if (event.persisted) wake('back');
  };
  const resumed = (): void => wake('back');
  window.addEventListener('online', online);
  window.addEventListener('offline', gone);
  window.addEventListener('focus', focus);
  window.addEventListener('pageshow', shown);
  document.addEventListener('visibilitychange', visible);
  document.addEventListener('resume', resumed);
  return () => {
    window.removeEventListener('online', online);
    window.removeEventListener('offline', gone);
    window.removeEventListener('focus', focus);
    window.removeEventListener('pageshow', shown);
    document.removeEventListener('visibilitychange', visible);
    document.removeEventListener('resume', resumed);
  };
};

/**
 * Calls before the browser freezes the page or keeps it for "back". What is begun in the call may be the last that
 * runs for hours.
 */
export const listenForFreeze = (freezing: () => void): Unsubscribe => {
  if (typeof window === 'undefined') return () => undefined;
  const hidden = (event: PageTransitionEvent): void => {
    if (event.persisted) freezing();
  };
  document.addEventListener('freeze', freezing);
  window.addEventListener('pagehide', hidden);
  return () => {
    document.removeEventListener('freeze', freezing);
    window.removeEventListener('pagehide', hidden);
  };
};

/** Hidden pages get a tick a minute: shorter ones would look late there. */
const tickMs = 60_000;

/** Calls after the page stood still unnoticed (a closed lid, an event that never came) or its clock was set. */
export const watchForTimeJumps = (clock: Clock, jumped: () => void): Unsubscribe => {
  const seen = (): TimeSeen => ({ wallMs: clock.nowMs(), steadyMs: performance.now() });
  let before = seen();
  const handle = setInterval(() => {
    const now = seen();
    const isJump = isTimeJump(before, now, tickMs);
    before = now;
    if (isJump) jumped();
  }, tickMs);
  return () => clearInterval(handle);
};
