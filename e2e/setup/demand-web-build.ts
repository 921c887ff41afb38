import { existsSync } from 'node:fs';
import path from 'node:path';

/** The servers under test serve one build, made beforehand: none of them builds by itself. */
export const demandWebBuild = (): void => {
  if (existsSync(path.resolve(import.meta.dirname, '../../apps/web/dist/index.html'))) return;
  throw new Error('The web app is not built. Run: pnpm --filter @holdfast/web run build');
};
