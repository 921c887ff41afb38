import { StartProblem } from '../settings/start-problem.ts';

/** TypeScript runs as it is from here on. */
const oldest = [22, 18] as const;

/** @throws StartProblem when this Node is too old to run the server */
export const demandNode = (version: string): void => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  throw new StartProblem(
    `Node ${version} is too old for Holdfast's server.`,
    `Install Node ${oldest.join('.')} or newer (24 is what it is tested with).`,
  );
};
