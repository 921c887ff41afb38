import type { Role } from '@holdfast/operation';
import { account, keys, organisation } from '../../messages/en-keys.ts';
import { people } from '../../messages/en-people.ts';
import { webhooks } from '../../messages/en-webhooks.ts';
import { settings as text } from '../../messages/en-settings.ts';
import { LazyPart } from '../../shell/lazy-part.svelte.ts';

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

const isAdmin = (role: Role): boolean => role === 'admin';

/** In the order in which they are listed. The first one that a person may open is open on a wide screen. */
export const settingsSections: readonly SettingsSection[] = [
  {
    ...{ key: 'people', ...people.section, isFor: isAdmin },
    part: new LazyPart(() => import('./people/PeopleSection.svelte')),
  },
  {
    ...{ key: 'keys', ...keys.section, isFor: isAdmin },
    part: new LazyPart(() => import('./keys/KeysSection.svelte')),
  },
  {
    ...{ key: 'webhooks', ...webhooks.section, isFor: isAdmin },
    part: new LazyPart(() => import('./webhooks/WebhooksSection.svelte')),
  },
  {
    ...{ key: 'provider-account', ...account.section, isFor: isAdmin },
    part: new LazyPart(() => import('./AccountSection.svelte')),
  },
  {
    ...{ key: 'organisation', ...organisation.section, isFor: isAdmin },
    part: new LazyPart(() => import('./OrganisationSection.svelte')),
  },
  {
    ...{ key: 'policy', ...text.sections.policy, isFor: isAdmin },
    part: new LazyPart(() => import('./policy/PolicySection.svelte')),
  },
];

export const sectionsFor = (role: Role): readonly SettingsSection[] =>
  settingsSections.filter((section) => section.isFor(role));
