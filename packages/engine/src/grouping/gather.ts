export type GatheringTerms<Job, Result> = {
  /** Groups of one key under way at once; what comes meanwhile is the next group. */
  readonly atOnce: number;
  /** How much one group may weigh; a single job may weigh more. */
  readonly most: number;
  readonly weightOf: (job: Job) => number;
  /**
   * Carries out one group; the next one may begin once it answers. Its answer is what each job comes to, in order, also
   * what is not decided yet: a job that has to wait by itself holds up no other. What it throws is the answer to all.
   */
  readonly carryOut: (key: string, jobs: readonly Job[]) => Promise<readonly Promise<Result>[]>;
};

type Waiting<Job, Result> = {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};
type Lane<Job, Result> = { readonly waiting: Waiting<Job, Result>[]; underWay: number };

/**
 * Carries out together what arrives while others of its key are under way. With nothing under way a job begins at
 * once: nobody is made to wait so that a group grows.
 */
export const createGathering = <Job, Result>(
  terms: GatheringTerms<Job, Result>,
): ((key: string, job: Job) => Promise<Result>) => {
  const lanes = new Map<string, Lane<Job, Result>>();

  const takeGroup = (lane: Lane<Job, Result>): Waiting<Job, Result>[] => {
    let weight = 0;
    let count = 0;
    for (const { job } of lane.waiting) {
      weight += terms.weightOf(job);
      if (count > 0 && weight > terms.most) break;
      count += 1;
    }
    return lane.waiting.splice(0, count);
  };

  const answer = async (key: string, group: readonly Waiting<Job, Result>[]): Promise<void> => {
    try {
      const results = await terms.carryOut(
        key,
        group.map(({ job }) => job),
      );
      group.forEach(({ resolve, reject }, index) => {
        const result = results[index] ?? Promise.reject(new Error('a job of a group got no answer'));
        result.then(resolve, reject);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };

  const begin = (key: string, lane: Lane<Job, Result>): void => {
    if (lane.underWay >= terms.atOnce) return;
    if (lane.waiting.length === 0) {
      if (lane.underWay === 0) lanes.delete(key);
      return;
    }
    lane.underWay += 1;
    // What arrives in the same breath belongs to the same group.
    void Promise.resolve()
      .then(() => answer(key, takeGroup(lane)))
      .then(() => {
        lane.underWay -= 1;
        begin(key, lane);
      });
  };

  return (key, job) =>
    new Promise((resolve, reject) => {
      const lane = lanes.get(key) ?? { waiting: [], underWay: 0 };
      lanes.set(key, lane);
      lane.waiting.push({ job, resolve, reject });
      begin(key, lane);
    });
};
