import { createRouter, searchParams } from 'sv-router';
import HomeScreen from '../screens/home/HomeScreen.svelte';
import type { Address } from './address.ts';
import { lazyScreen } from './lazy-screens.ts';
import NotFoundScreen from './NotFoundScreen.svelte';

// Two routes of one screen share its component, so that going from one to the other keeps what is on it.
const order = lazyScreen('order');
const approvals = lazyScreen('approvals');
const settings = lazyScreen('settings');

// The agent's first place comes with the app; every other screen is a chunk of its own.
const router = createRouter({
  '/': HomeScreen,
  '/sign-in': lazyScreen('signIn'),
  '/set-password': lazyScreen('setPassword'),
  '/forgot-password': lazyScreen('forgotPassword'),
  '/you/security': lazyScreen('security'),
  '/invitation': lazyScreen('invitation'),
  '/orders': lazyScreen('orders'),
  '/orders/:orderId': order,
  '/orders/:orderId/refund': order,
  '/tickets/:ticketId': lazyScreen('ticket'),
  '/operations': lazyScreen('operations'),
  '/operations/:operationId': lazyScreen('operation'),
  '/uncertain': lazyScreen('attention'),
  '/came-back': lazyScreen('cameBack'),
  '/approvals': approvals,
  '/approvals/:operationId': approvals,
  '/device': lazyScreen('device'),
  '/numbers': lazyScreen('numbers'),
  '/numbers/operations': lazyScreen('behind'),
  '/hold': lazyScreen('hold'),
  '/audit': lazyScreen('audit'),
  '/sweeps': lazyScreen('sweeps'),
  '/you/notifications': lazyScreen('notifications'),
  '/settings': settings,
  '/settings/:section': settings,
  '*notFound': NotFoundScreen,
});

export const address: Address = {
  get path() {
    return router.route.pathname;
  },
  get parameters() {
    return router.route.params;
  },
  get search() {
    return searchParams.toURLSearchParams();
  },
  go(path, options = {}) {
    const [pathname = '/', search = ''] = path.split('?');
    // The router's types list the routes; a path built by `pathTo` is one of them with its parameters filled in.
    void router.navigate(pathname as '/', {
      search,
      replace: options.replace ?? false,
      scrollToTop: options.keepScroll === true ? false : 'instant',
    });
  },
};
