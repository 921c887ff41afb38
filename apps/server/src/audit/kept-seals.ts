import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Seal } from '@holdfast/engine';
import { z } from 'zod';

const positionSchema = z.discriminatedUnion('phase', [
  z.object({ phase: z.literal('operations'), generation: z.string(), from: z.string(), after: z.string() }),
  z.object({ phase: z.literal('subjects'), generation: z.string(), from: z.string(), after: z.string() }),
  z.object({ phase: z.literal('transactions'), generation: z.string(), from: z.string() }),
]);
const sealSchema = z.object({
  organisationId: z.string().min(1),
  number: z.int().positive(),
  at: z.string(),
  previousHash: z.string(),
  heads: z.int().positive(),
  root: z.string(),
  position: positionSchema,
  publicKey: z.string(),
  hash: z.string(),
  signature: z.string(),
});

/** A seal as text that can be kept anywhere. */
export const sealText = (seal: Seal): string => `${JSON.stringify(seal, null, 2)}\n`;

/** `undefined` where the text is no seal of ours. */
export const sealIn = (text: string): Seal | undefined => {
  try {
    const parsed = sealSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
};

const folderOf = (dataFolder: string): string => path.join(dataFolder, 'audit-seals');

/**
 * Keeps the newest seal beside the database, one file a history: after a restore a new file begins, and the old one goes on
 * saying what had been sealed by then.
 */
export const keepSeal = async (dataFolder: string, seal: Seal): Promise<void> => {
  const folder = folderOf(dataFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `${encodeURIComponent(seal.organisationId)}.${encodeURIComponent(seal.position.generation)}.json`;
  const draft = path.join(folder, `${name}.${String(process.pid)}`);
  await writeFile(draft, sealText(seal), { mode: 0o600 });
  await rename(draft, path.join(folder, name));
};

/** The seals of one organisation that were kept beside the database. */
export const readKeptSeals = async (dataFolder: string, organisationId: string): Promise<readonly Seal[]> => {
  const folder = folderOf(dataFolder);
  const names = await readdir(folder).catch(() => [] as string[]);
  const own = names.filter(
    (name) => name.startsWith(`${encodeURIComponent(organisationId)}.`) && name.endsWith('.json'),
  );
  const texts = await Promise.all(own.map((name) => readFile(path.join(folder, name), 'utf8')));
  return texts.flatMap((text) => sealIn(text) ?? []);
};
