/** Thrown to undo a transaction: the same ID was bound elsewhere meanwhile, so what was read is to be read again. */
export class BoundMeanwhile extends Error {}
