import path from 'node:path';

/** The root of the checkout this program runs from. */
export const repositoryFolder = path.resolve(import.meta.dirname, '../../../..');
