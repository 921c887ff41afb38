import { en, type Messages } from './en.ts';

/** The words in use. Screens know only this name, so another language never touches them. */
export const words: Messages = en;
