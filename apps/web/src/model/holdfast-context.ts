import type { Outbox } from '@holdfast/outbox';
import { createContext } from 'svelte';
import type { Address } from '../shell/address.ts';
import type { DemoMode } from '../demo/demo-mode.svelte.ts';
import type { CustomerNames } from './customer-names.svelte.ts';
import type { Server } from './server.ts';
import type { Session } from './session.svelte.ts';
import type { Announcer } from '../shell/announcer.svelte.ts';
import type { AppUpdate } from '../shell/update.svelte.ts';
import type { OpenForms } from '../shell/open-forms.svelte.ts';

/** What every screen may reach: this device's outbox, the server's reads, who is here, and how to say things. */
export type Holdfast = {
  readonly outbox: Outbox;
  readonly server: Server;
  readonly session: Session;
  readonly announcer: Announcer;
  readonly openForms: OpenForms;
  readonly update: AppUpdate;
  readonly address: Address;
  readonly demo: DemoMode;
  readonly names: CustomerNames;
};

export const [useHoldfast, provideHoldfast] = createContext<Holdfast>();
