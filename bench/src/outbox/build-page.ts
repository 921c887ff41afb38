import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { repositoryRoot } from '../program.ts';

const pageFolder = path.join(repositoryRoot, 'bench/src/outbox/page');

/** `page`: the bench's page with the outbox in it. The others: the package as a bundle for a page of somebody else's. */
export type BuildName = 'page' | 'whole' | 'without-libraries' | 'queue' | 'queue-without-libraries';

/** Builds with the Vite of the web app. @throws with what Vite said */
export const build = (name: BuildName, outFolder: string): void => {
  const vite = path.join(repositoryRoot, 'apps/web/node_modules/.bin/vite');
  const built = spawnSync(vite, ['build', '--config', path.join(pageFolder, 'vite.config.ts')], {
    cwd: pageFolder,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production', BENCH_BUILD: name, BENCH_OUT: outFolder },
  });
  if (built.status !== 0) throw new Error(`${name} could not be built: ${built.stderr}${built.stdout}`);
};
