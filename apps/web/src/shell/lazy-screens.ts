import type { Component } from 'svelte';
import { LazyPart } from './lazy-part.svelte.ts';
import LazyScreen from './LazyScreen.svelte';

const screens = {
  signIn: new LazyPart(() => import('../screens/sign-in/SignInScreen.svelte')),
  setPassword: new LazyPart(() => import('../screens/sign-in/SetPasswordScreen.svelte')),
  forgotPassword: new LazyPart(() => import('../screens/sign-in/ForgotPasswordScreen.svelte')),
  security: new LazyPart(() => import('../screens/you/SecurityScreen.svelte')),
  invitation: new LazyPart(() => import('../screens/sign-in/InvitationScreen.svelte')),
  orders: new LazyPart(() => import('../screens/tables/OrdersScreen.svelte')),
  order: new LazyPart(() => import('../screens/order/OrderScreen.svelte')),
  ticket: new LazyPart(() => import('../screens/order/TicketScreen.svelte')),
  operations: new LazyPart(() => import('../screens/tables/OperationsScreen.svelte')),
  operation: new LazyPart(() => import('../screens/operation/OperationScreen.svelte')),
  attention: new LazyPart(() => import('../screens/attention/AttentionScreen.svelte')),
  cameBack: new LazyPart(() => import('../screens/attention/CameBackScreen.svelte')),
  approvals: new LazyPart(() => import('../screens/approvals/ApprovalsScreen.svelte')),
  device: new LazyPart(() => import('../screens/device/DeviceScreen.svelte')),
  numbers: new LazyPart(() => import('../screens/numbers/NumbersScreen.svelte')),
  behind: new LazyPart(() => import('../screens/numbers/BehindScreen.svelte')),
  hold: new LazyPart(() => import('../screens/hold/HoldScreen.svelte')),
  audit: new LazyPart(() => import('../screens/audit/AuditScreen.svelte')),
  sweeps: new LazyPart(() => import('../screens/sweeps/SweepsScreen.svelte')),
  notifications: new LazyPart(() => import('../screens/you/NotificationsScreen.svelte')),
  settings: new LazyPart(() => import('../screens/settings/SettingsScreen.svelte')),
} as const;
type ScreenName = keyof typeof screens;

/** For the router: a component that shows the screen once its code is here. One a screen, so that it is kept. */
export const lazyScreen = (name: ScreenName): Component => {
  const screen = screens[name];
  return (internals, props) => LazyScreen(internals, { ...props, screen });
};

/** By the address alone, before the router runs: the code of the screen that will be shown, if it is a lazy one. */
export const screenAt = (path: string): ScreenName | null => {
  const [, place = '', inside] = path.split('/');
  switch (place) {
    case 'sign-in':
      return 'signIn';
    case 'set-password':
      return 'setPassword';
    case 'forgot-password':
      return 'forgotPassword';
    case 'you':
      return inside === 'notifications' ? 'notifications' : 'security';
    case 'invitation':
      return 'invitation';
    case 'orders':
      return inside === undefined ? 'orders' : 'order';
    case 'tickets':
      return 'ticket';
    case 'operations':
      return inside === undefined ? 'operations' : 'operation';
    case 'numbers':
      return inside === undefined ? 'numbers' : 'behind';
    case 'uncertain':
      return 'attention';
    case 'came-back':
      return 'cameBack';
    case 'approvals':
    case 'device':
    case 'audit':
    case 'hold':
    case 'sweeps':
    case 'settings':
      return place;
    default:
      return null;
  }
};

/** Starts fetching what this address will show, while the session is still being asked for. */
export const bringScreenAt = (path: string): void => {
  const name = screenAt(path);
  if (name !== null) void screens[name].bring();
};
