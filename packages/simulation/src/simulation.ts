/** Entry of the simulation: one seed is one history. */
export { createSharedDatabase } from './world/database.ts';
export { createRealDatabase, type RealDatabase } from './real-postgres/real-database.ts';
export { planOf, troubles, type Plan, type Trouble } from './world/plan.ts';
export { runHistory, type Outcome } from './run/run-history.ts';
export { Violation, type ViolationKind } from './world/violation.ts';
