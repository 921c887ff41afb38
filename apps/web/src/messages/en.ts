import { device } from './en-device.ts';
import { conflict, drops, sameAmount } from './en-conflict.ts';
import { decisions } from './en-decisions.ts';
import { operations } from './en-operations.ts';
import { orders } from './en-orders.ts';
import { stateWords, thread } from './en-thread.ts';
import { update } from './en-update.ts';

/** Every word the screens say in English. A second language is a second file of this shape. */
export const en = {
  product: 'Holdfast',
  tagline: 'One refund, one outcome, honestly reported.',
  states: stateWords,
  needsPersonWord: 'Needs a person',
  thread,
  device,
  conflict,
  drops,
  sameAmount,
  decisions,
  operations,
  orders,
  navigation: {
    label: 'Places',
    home: 'Home',
    approvals: 'Approvals',
    device: 'This device',
    uncertain: 'Uncertain',
    operations: 'Operations',
    orders: 'Orders',
    skip: 'Skip to content',
    back: 'Back',
    you: 'You',
    organisation: 'Organisation',
    theme: 'Appearance',
    themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
    signOut: 'Sign out',
    signOutTitle: 'Sign out with something not yet sent?',
    signOutWaiting: (count: number) =>
      count === 1
        ? 'One item is saved on this device and not yet received. It stays here and goes out when you sign in again.'
        : `${count} items are saved on this device and not yet received. They stay here and go out when you sign in again.`,
    signIn: 'Sign in',
  },
  roles: {
    agent: 'agent',
    approver: 'approver',
    operator: 'operator',
    admin: 'admin',
    integrator: 'integrator',
  } as Record<string, string>,
  signIn: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    button: 'Sign in',
    busy: 'Signing in…',
    wrong: 'This e-mail and password do not belong together. Check both.',
    tooMany: 'Too many attempts. Wait a minute before the next one.',
    unreachable: 'Holdfast cannot be reached from here. Check the connection. Nothing was sent.',
    unexpected: (status: number) =>
      `The server answered with something we do not understand (${status}). You are not signed in.`,
    demoTitle: 'Demo sign-ins',
    demoHint: 'Made-up people, orders and money. One tap signs you in.',
    offlineTitle: 'No connection to Holdfast',
    offlineKnown: (name: string) =>
      `You can still open what is on this device for ${name}. What you save is sent once you are connected and signed in.`,
    offlineUnknown: 'Sign in once with a connection. After that this device also opens without one.',
    openDevice: 'Open what is on this device',
    ended: 'Your session has ended. Everything you saved here is still on this device and waits for you.',
  },
  setPassword: {
    title: 'Set your password',
    hint: 'At least 10 characters. A few plain words are good.',
    password: 'New password',
    button: 'Save password',
    tooShort: 'Use at least 10 characters.',
    expired: 'This link is used up or too old. Ask for a new one.',
    noToken: 'This link is not complete. Open it again from the message you got.',
    done: 'Your password is saved. You can sign in now.',
  },
  time: {
    justNow: 'just now',
    anyMoment: 'any moment now',
    deviceClock: "by this device's clock",
    inFuture: (text: string) => `in ${text}`,
    ago: (text: string) => `${text} ago`,
    seconds: (count: number) => `${count} s`,
    minutes: (count: number) => `${count} min`,
    hours: (count: number) => `${count} h`,
    days: (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`,
  },
  loading: {
    label: 'Loading',
    failedTitle: 'This could not be loaded',
    again: 'Load again',
    unreachable: 'Holdfast cannot be reached right now. What is on this device is shown; it may be older.',
    status: (status: number) => `The server answered with ${status}. Nothing was changed by this.`,
  },
  update,
  notFound: {
    title: 'There is nothing at this address',
    body: 'The link may be old. Search for the order or ticket instead.',
    home: 'Go to the start page',
  },
  copy: {
    reference: (reference: string) => `Copy reference ${reference}`,
    copied: 'Copied',
  },
  cancel: 'Cancel',
  close: 'Close',
};

export type Messages = typeof en;
