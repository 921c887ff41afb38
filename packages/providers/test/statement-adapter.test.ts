import { createSingleShotAdapter } from '../src/single-shot/single-shot.ts';
import { describeAdapterContract } from './adapter-contract-suite.ts';
import { statementTraits } from './conformance/shape-traits.ts';
import { startFakeShape } from './fake-providers-under-test.ts';

describeAdapterContract('a gateway whose statement names nobody', statementTraits, () =>
  startFakeShape('gateway', statementTraits, ({ credential: password, apiBase }) =>
    createSingleShotAdapter({ password, apiBase, books: 'statement', nowMs: Date.now }),
  ),
);
