/** Said like a connection that was closed, which it was: the request is answered 503 and sent again. */
class AnswerCut extends Error {
  readonly code = 'CONNECTION_CLOSED';

  constructor() {
    super('the connection was closed in the middle of an answer');
  }
}

/**
 * An answer as it can be relied on. After a connection was cut in the middle of one, the driver's next answer may begin
 * with places that hold no row; taken for "there is none", that would turn a good key into an unknown one.
 * @throws an error with the code CONNECTION_CLOSED
 */
export const wholeRows = <Row>(rows: readonly Row[]): readonly Row[] => {
  // Places without a row are not visited.
  if (rows.filter(() => true).length !== rows.length) throw new AnswerCut();
  return rows;
};
