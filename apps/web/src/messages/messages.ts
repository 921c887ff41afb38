/** The words in use. Screens know only this name, so another language never touches them. */
export * as words from './english.ts';
