import { demoCases, type DemoCases } from '../demo/demo-cases.ts';
import { loggableError } from './log.ts';
import type { OpenServer } from './run-server.ts';

/** What makes cases to try, where this is the demo. */
export const demoCasesOf = ({
  demoAt,
  made,
  people,
  log,
}: Pick<OpenServer, 'demoAt' | 'made' | 'people' | 'log'>): DemoCases | undefined =>
  demoAt === undefined
    ? undefined
    : demoCases({
        ...{ ...demoAt, engine: made.engine, people },
        onTrouble: (error) => {
          log.error({ error: loggableError(error) }, 'the demo’s cases could not be made');
        },
      });
