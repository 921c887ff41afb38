/** The part of a `.cpuprofile` that is read here: a tree of frames, and which frame was seen at each sample. */
export type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  /** Microseconds between samples. */
  readonly timeDeltas: readonly number[];
};

export type SelfTime = { readonly name: string; readonly seconds: number; readonly share: number };

/** Waiting is no work. */
const notWork = ['(idle)', '(root)'];

/** A package of others by its name, a room of ours by its folder, `node` for what Node brings. */
export const ownerOf = (url: string): string => {
  const installed = [...url.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)]
    .map(([, name]) => name ?? '')
    .filter((name) => name !== '.pnpm');
  const last = installed.at(-1);
  if (last !== undefined) return last;
  const room = /\/((?:packages|apps)\/[^/]+)\//.exec(url)?.[1];
  if (room !== undefined) return room;
  return url.startsWith('node:') ? 'node' : '(engine)';
};

const frameName = ({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string => {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  const place = url.startsWith('node:') ? url : `${ownerOf(url)} ${url.split('/').at(-1) ?? ''}`;
  return `${name}  ${place}:${String(lineNumber + 1)}`;
};

/** What was sampled from some seconds after the program's start on: starting is another matter than working. */
export const after = (profile: CpuProfile, seconds: number): CpuProfile => {
  let micros = 0;
  const first = profile.timeDeltas.findIndex((delta) => (micros += delta) > seconds * 1e6);
  if (first < 0) return { ...profile, samples: [], timeDeltas: [] };
  return {
    ...profile,
    samples: profile.samples.slice(first),
    timeDeltas: profile.timeDeltas.slice(first),
  };
};

const summed = (
  profile: CpuProfile,
  nameOf: (frame: CpuProfile['nodes'][number]['callFrame']) => string,
): SelfTime[] => {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const micros = new Map<string, number>();
  let total = 0;
  profile.samples.forEach((id, place) => {
    const frame = names.get(id);
    const delta = profile.timeDeltas[place] ?? 0;
    if (frame === undefined || notWork.includes(frame.functionName)) return;
    total += delta;
    const name = nameOf(frame);
    micros.set(name, (micros.get(name) ?? 0) + delta);
  });
  return [...micros]
    .map(([name, time]) => ({ name, seconds: time / 1e6, share: time / total }))
    .sort((one, other) => other.seconds - one.seconds);
};

/** Functions by the time spent in themselves, the most first. */
export const functionsBySelfTime = (profile: CpuProfile): readonly SelfTime[] => summed(profile, frameName);

/** The same by whose code it is. What V8 does by itself (collecting garbage, calling out) goes by its own names. */
export const ownersBySelfTime = (profile: CpuProfile): readonly SelfTime[] =>
  summed(profile, (frame) => (frame.url === '' ? frame.functionName : ownerOf(frame.url)));
