import { createBrowserOutbox } from '@holdfast/outbox/browser';
import { mount } from 'svelte';
import './design/base.css';
import { CustomerNames } from './model/customer-names.svelte.ts';
import { Server } from './model/server.ts';
import { Session } from './model/session.svelte.ts';
import { Announcer } from './shell/announcer.svelte.ts';
import App from './shell/App.svelte';
import { OpenForms } from './shell/open-forms.svelte.ts';
import { address } from './shell/routes.ts';
import { AppUpdate } from './shell/update.svelte.ts';

const outbox = createBrowserOutbox();
const server = new Server(globalThis.fetch.bind(globalThis));
const session = new Session(server, outbox);

const openForms = new OpenForms();
const update = new AppUpdate(openForms);

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
      names: new CustomerNames(outbox),
    },
  },
});

void session.start();
void update.start(outbox);
