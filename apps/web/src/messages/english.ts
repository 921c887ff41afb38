/**
 * Every word the screens say in English. A second language is a second file of these names. Each area is an export of
 * its own and not a part of one object, so that a screen's words come with the screen.
 */
export { assistant } from './en-assistant.ts';
export { conflict, drops, sameAmount } from './en-conflict.ts';
export { cases } from './en-cases.ts';
export { decisions } from './en-decisions.ts';
export { device } from './en-device.ts';
export { followUp } from './en-follow-up.ts';
export { home, row } from './en-home.ts';
export { operations } from './en-operations.ts';
export { orders } from './en-orders.ts';
export { storage } from './en-storage.ts';
export { stateWords as states, thread } from './en-thread.ts';
export { unsaved, unsavedNotHeard } from './en-unsaved.ts';
export { update } from './en-update.ts';
export {
  product,
  tagline,
  needsPersonWord,
  navigation,
  roles,
  signIn,
  setPassword,
  time,
  loading,
  notFound,
  copy,
  cancel,
  close,
} from './en.ts';
