import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDispatcher } from './dispatcher.ts';

type Item = { readonly lane: string; readonly breaks: boolean; readonly turns: number };

const itemArbitrary: fc.Arbitrary<Item> = fc.record({
  lane: fc.constantFrom('pi_a', 'pi_b', 'pi_c', 'pi_d'),
  breaks: fc.boolean(),
  turns: fc.nat(3),
});

describe('side by side', () => {
  test('no two items of one payment at once, never more than the width, and every item ends, whatever breaks', async () => {
    // Red when: `busyLanes` is not asked, or a handler's error ends the loop.
    await fc.assert(
      fc.asyncProperty(
        fc.array(itemArbitrary, { maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        async (items, width) => {
          const running: Item[] = [];
          let done = 0;
          let broken = 0;
          const dispatcher = createDispatcher<Item>(
            width,
            async (item) => {
              expect(running.some(({ lane }) => lane === item.lane)).toBe(false);
              running.push(item);
              expect(running.length).toBeLessThanOrEqual(width);
              for (let turn = 0; turn < item.turns; turn += 1) await Promise.resolve();
              running.splice(running.indexOf(item), 1);
              done += 1;
              if (item.breaks) throw new Error('broken');
            },
            async () => {
              broken += 1;
              await Promise.reject(new Error('the database is away as well'));
            },
          );
          dispatcher.offer(items);
          await dispatcher.idle();
          expect(done).toBe(items.length);
          expect(broken).toBe(items.filter(({ breaks }) => breaks).length);
          expect(dispatcher.underWay()).toBe(0);
        },
      ),
    );
  });

  test('what is not begun can be taken back, and what is under way is waited for', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handled: string[] = [];
    const dispatcher = createDispatcher<{ readonly lane: string }>(
      1,
      async ({ lane }) => {
        await held;
        handled.push(lane);
      },
      () => Promise.resolve(),
    );
    dispatcher.offer([{ lane: 'a' }, { lane: 'b' }]);
    expect(dispatcher.takeBack()).toEqual([{ lane: 'b' }]);
    release();
    await dispatcher.idle();
    expect(handled).toEqual(['a']);
  });

  // Red when: a crowd may take every place, or what it holds back holds up who comes behind it.
  test('a crowd whose items never end leaves places to the others', async () => {
    const handled: string[] = [];
    const dispatcher = createDispatcher<{ readonly lane: string; readonly crowd: string }>(
      8,
      async ({ lane, crowd }) => {
        handled.push(lane);
        if (crowd === 'slow') await new Promise<never>(() => undefined);
      },
      () => Promise.resolve(),
      undefined,
      ({ crowd }) => crowd,
    );
    dispatcher.offer(Array.from({ length: 20 }, (_, index) => ({ lane: `slow ${index}`, crowd: 'slow' })));
    dispatcher.offer(Array.from({ length: 20 }, (_, index) => ({ lane: `quick ${index}`, crowd: 'quick' })));
    await new Promise((resolve) => setImmediate(resolve));
    expect(handled.filter((lane) => lane.startsWith('slow'))).toHaveLength(6);
    expect(handled.filter((lane) => lane.startsWith('quick'))).toHaveLength(20);
    expect(dispatcher.underWay(({ crowd }) => crowd === 'slow')).toBe(20);
  });
});
