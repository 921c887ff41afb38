/** Everything that the package gives to a page: what its size is measured of. */
export * from '@holdfast/outbox';
export * from '@holdfast/outbox/browser';
