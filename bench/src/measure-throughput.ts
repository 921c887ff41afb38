import type { Settings } from './arguments.ts';
import { bareRows, rowsOf, rowsText } from './facts/rows-per-operation.ts';
import { postgresFacts } from './facts/machine-facts.ts';
import type { AllEndings } from './house/endings.ts';
import { startHouse } from './house/house.ts';
import { aims, linesOfBurst, linesOfLoop } from './lines.ts';
import type { Measured } from './measured.ts';
import { profileServer, type ServerProfile } from './profile/profile-server.ts';
import { budgetText, processorBudget } from './processor-budget.ts';
import { verdictOf, type Line } from './table.ts';
import { compareBurst, compareLoop, openRig, shapeOf, type Comparison } from './throughput.ts';

const throughputParts = ['loop', 'burst'] as const;

/** Enough for the warming up; by how fast that went, the rest is put there. */
const firstStock = 15_000;

/** The loop and the burst, and a profile of each that misses an aim; quick runs miss some by chance and prove nothing. */
export const measureThroughput = async (settings: Settings, endings: AllEndings): Promise<Measured> => {
  const shape = shapeOf(settings);
  const house = await startHouse(endings);
  const facts = await postgresFacts(house.sql);
  const rig = await openRig(house, settings.clients);
  endings.add(rig.close);
  await house.stock.add(firstStock);
  const lines: Line[] = [];
  const loop = await compareLoop(rig, settings.clients, shape);
  if (settings.parts.includes('loop')) lines.push(...linesOfLoop(loop));
  if (settings.parts.includes('burst')) lines.push(...linesOfBurst(await compareBurst(rig, shape), loop));
  const rows = { rows: rowsText(await rowsOf(house.sql), await bareRows(house)) };
  await endings.endAll();
  const profiles: ServerProfile[] = [];
  for (const part of throughputParts) {
    if (!settings.parts.includes(part) || !(settings.profile || (!settings.quick && misses(lines, part))))
      continue;
    profiles.push(await profileServer(part, settings, endings));
    await endings.endAll();
  }
  return {
    lines,
    profiles,
    facts: { ...facts, ...rows },
    notes: misses(lines, 'loop') ? budgetOf(loop) : [],
  };
};

const budgetOf = ({ bare, product }: Comparison): string[] => {
  const aimedShare = aims.loopOfBare.atLeast;
  const budget = processorBudget(bare, product, aimedShare);
  return budget === null ? [] : [budgetText(budget, aimedShare)];
};

const misses = (lines: readonly Line[], part: string): boolean =>
  lines.some((line) => line.part === part && verdictOf(line) === 'missed');
