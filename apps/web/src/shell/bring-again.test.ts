import { describe, expect, test } from 'vitest';
import { bringOnceReachable } from './bring-again.ts';

const pageOf = (given: { reachable?: boolean; comes?: boolean; unsaved?: boolean }) => {
  const kept = new Map<string, string>();
  const seen = { asked: 0, reloads: 0, nowMs: 1_000_000 };
  const part = {
    failed: true,
    bring: (): Promise<void> => {
      seen.asked += 1;
      part.failed = given.comes !== true;
      return Promise.resolve();
    },
  };
  const look = () =>
    bringOnceReachable({
      part,
      isReachable: () => Promise.resolve(given.reachable !== false),
      hasUnsavedForm: () => given.unsaved === true,
      nowMs: () => seen.nowMs,
      reload: () => (seen.reloads += 1),
      store: { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) },
    });
  return { seen, look };
};

describe('a part of the app that could not be had', () => {
  test('is asked for once the server answers, and not before', async () => {
    const away = pageOf({ reachable: false });
    await away.look();
    expect(away.seen).toMatchObject({ asked: 0, reloads: 0 });
    const back = pageOf({ comes: true });
    await back.look();
    expect(back.seen).toMatchObject({ asked: 1, reloads: 0 });
  });

  // Red when: the time of the last reload is not kept or not looked at.
  test('that the browser keeps as failed comes with the page loaded anew, once a minute at the most', async () => {
    const kept = pageOf({});
    await kept.look();
    await kept.look();
    expect(kept.seen.reloads).toBe(1);
    kept.seen.nowMs += 61_000;
    await kept.look();
    expect(kept.seen.reloads).toBe(2);
    kept.seen.nowMs -= 86_400_000;
    await kept.look();
    expect(kept.seen.reloads).toBe(3);
  });

  test('costs nothing that was typed', async () => {
    const typed = pageOf({ unsaved: true });
    await typed.look();
    expect(typed.seen).toMatchObject({ asked: 1, reloads: 0 });
  });
});
