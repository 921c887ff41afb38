import type { Role } from '@holdfast/operation';
import type { LazyPart } from '../../shell/lazy-part.svelte.ts';

export type SettingsSection = {
  /** Its part of the address: `/settings/{key}`. */
  readonly key: string;
  readonly title: string;
  /** What is set there, in one line, for the list on a phone. */
  readonly lead: string;
  /** Whose work it is. The server decides what a role may do; this is only what stands in the list. */
  readonly isFor: (role: Role) => boolean;
  /** Its code comes when it is opened. The frame has its heading already: a section begins with its content. */
  readonly part: LazyPart;
};

/** In the order in which they are listed. The first one that a person may open is open on a wide screen. */
export const settingsSections: readonly SettingsSection[] = [];

export const sectionsFor = (role: Role): readonly SettingsSection[] =>
  settingsSections.filter((section) => section.isFor(role));
