import { describe, expect, test } from 'vitest';
import { createGathering } from './gather.ts';

/** A gathering whose groups end when the test says so. */
const heldGathering = (terms: { readonly atOnce: number; readonly most: number }) => {
  const groups: { readonly jobs: readonly string[]; readonly end: () => void }[] = [];
  const gather = createGathering<string, string>({
    ...terms,
    weightOf: () => 1,
    carryOut: (_key, jobs) =>
      new Promise((resolve) => {
        groups.push({
          jobs,
          end: () => {
            resolve(jobs.map((job) => Promise.resolve(`${job}!`)));
          },
        });
      }),
  });
  return { groups, gather };
};

const breath = () => new Promise((resolve) => setImmediate(resolve));

describe('what is gathered', () => {
  // Red when: a group waits for more than the breath in which its first job came.
  test('begins at once while nothing of its key is under way', async () => {
    const { groups, gather } = heldGathering({ atOnce: 1, most: 10 });
    const one = gather('a', 'first');
    const other = gather('b', 'elsewhere');
    await breath();
    expect(groups.map(({ jobs }) => jobs)).toEqual([['first'], ['elsewhere']]);
    groups.forEach(({ end }) => {
      end();
    });
    expect(await Promise.all([one, other])).toEqual(['first!', 'elsewhere!']);
  });

  // Red when: `splice` takes one job, or more than `most` weigh.
  test('while another group is under way becomes the next ones, in order and of the given size', async () => {
    const { groups, gather } = heldGathering({ atOnce: 1, most: 3 });
    const answers = [gather('a', '1')];
    await breath();
    for (const job of ['2', '3', '4', '5']) answers.push(gather('a', job));
    for (let ended = 0; ended < 3; ended += 1) {
      expect(groups).toHaveLength(ended + 1);
      groups[ended]?.end();
      await breath();
    }
    expect(groups.map(({ jobs }) => jobs)).toEqual([['1'], ['2', '3', '4'], ['5']]);
    expect(await Promise.all(answers)).toEqual(['1!', '2!', '3!', '4!', '5!']);
  });

  // Red when: the next group waits for every job of the one before.
  test('is not held up by a job that waits by itself', async () => {
    const gather = createGathering<string, string>({
      atOnce: 1,
      most: 10,
      weightOf: () => 1,
      carryOut: (_key, jobs) =>
        Promise.resolve(
          jobs.map((job) => (job === 'stuck' ? new Promise<string>(() => undefined) : Promise.resolve(job))),
        ),
    });
    void gather('a', 'stuck');
    await breath();
    expect(await gather('a', 'free')).toBe('free');
  });

  // Red when: what a group throws leaves a job without an answer, or its key closed for ever.
  test('that breaks as a whole tells each of its jobs, and the next ones go on', async () => {
    let broken = true;
    const gather = createGathering<string, string>({
      atOnce: 1,
      most: 10,
      weightOf: () => 1,
      carryOut: (_key, jobs) =>
        broken ? Promise.reject(new Error('away')) : Promise.resolve(jobs.map((job) => Promise.resolve(job))),
    });
    const answers = await Promise.allSettled([gather('a', '1'), gather('a', '2')]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    expect(await gather('a', '3')).toBe('3');
  });
});
