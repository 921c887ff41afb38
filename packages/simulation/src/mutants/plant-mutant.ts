import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { mutants } from './mutants.ts';
import { plantIn } from './mutant.ts';

// `node --import …/plant-mutant.ts` with HOLDFAST_MUTANT=name: the file is changed as it is loaded, and nowhere else.
const name = process.env['HOLDFAST_MUTANT'] ?? '';
const mutant = mutants.find((one) => one.name === name);
if (mutant === undefined) throw new Error(`there is no mutant "${name}"`);

const root = path.resolve(import.meta.dirname, '../../../..');
const target = pathToFileURL(path.join(root, mutant.file)).href;

let planted = false;
// A mutant that is never loaded would count as one that nothing finds.
process.on('exit', () => {
  if (!planted) {
    process.stderr.write(`mutant "${name}": ${mutant.file} was never loaded\n`);
    process.exitCode = 3;
  }
});

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (url !== target) return loaded;
    const { source } = loaded;
    if (source == null) throw new Error(`${mutant.file} was loaded without its text`);
    const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString('utf8');
    planted = true;
    return { ...loaded, source: plantIn(text, mutant) };
  },
});
