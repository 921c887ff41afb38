import type { Engine } from '@holdfast/engine';
import type { Overload } from './overload.ts';

/** What is asked of the engine takes a place at the database for as long as it takes, and waiting takes none. */
export const inPlaces = (engine: Engine, during: Overload['during']): Engine => {
  const inTurn =
    <Given extends readonly unknown[], Answer>(ask: (...given: Given) => Promise<Answer>) =>
    (...given: Given): Promise<Answer> =>
      during('request', () => ask(...given));
  return {
    ...engine,
    apply: inTurn(engine.apply),
    getOperation: inTurn(engine.getOperation),
    lookUp: inTurn(engine.lookUp),
    getOrder: inTurn(engine.getOrder),
    searchOrders: inTurn(engine.searchOrders),
    getTicket: inTurn(engine.getTicket),
    searchTickets: inTurn(engine.searchTickets),
  };
};
