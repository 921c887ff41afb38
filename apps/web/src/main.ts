import { createBrowserOutbox } from '@holdfast/outbox/browser';
import { mount } from 'svelte';
import './design/base.css';
import { DemoMode } from './demo/demo-mode.svelte.ts';
import { CustomerNames } from './model/customer-names.svelte.ts';
import { Server } from './model/server.ts';
import { Session } from './model/session.svelte.ts';
import { followDeviceClock } from './parts/clock.svelte.ts';
import { Announcer } from './shell/announcer.svelte.ts';
import App from './shell/App.svelte';
import { OpenForms } from './shell/open-forms.svelte.ts';
import { bringWhenIdle } from './shell/lazy-part.svelte.ts';
import { bringScreenAt } from './shell/lazy-screens.ts';
import { address } from './shell/routes.ts';
import { AppUpdate } from './shell/update.svelte.ts';

const server = new Server(globalThis.fetch.bind(globalThis));
const demo = new DemoMode(server);
const outbox = createBrowserOutbox({ appVersion: __APP_VERSION__, clock: demo });
const session = new Session(server, outbox);

const openForms = new OpenForms();
const update = new AppUpdate(openForms);

bringScreenAt(globalThis.location.pathname);

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no place for the app');

mount(App, {
  target,
  props: {
    holdfast: {
      outbox,
      server,
      session,
      announcer: new Announcer(),
      openForms,
      update,
      address,
      demo,
      names: new CustomerNames(outbox),
    },
  },
});

followDeviceClock(demo.nowMs);
void session.start();
void update.start(outbox);
void demo.start();
void bringWhenIdle();
