import { createRouter, searchParams } from 'sv-router';
import ApprovalsScreen from '../screens/approvals/ApprovalsScreen.svelte';
import DeviceScreen from '../screens/device/DeviceScreen.svelte';
import HomeScreen from '../screens/home/HomeScreen.svelte';
import OperationScreen from '../screens/operation/OperationScreen.svelte';
import OrderScreen from '../screens/order/OrderScreen.svelte';
import TicketScreen from '../screens/order/TicketScreen.svelte';
import SetPasswordScreen from '../screens/sign-in/SetPasswordScreen.svelte';
import SignInScreen from '../screens/sign-in/SignInScreen.svelte';
import OperationsScreen from '../screens/tables/OperationsScreen.svelte';
import OrdersScreen from '../screens/tables/OrdersScreen.svelte';
import type { Address } from './address.ts';
import NotFoundScreen from './NotFoundScreen.svelte';

const router = createRouter({
  '/': HomeScreen,
  '/sign-in': SignInScreen,
  '/set-password': SetPasswordScreen,
  '/orders': OrdersScreen,
  '/orders/:orderId': OrderScreen,
  '/orders/:orderId/refund': OrderScreen,
  '/tickets/:ticketId': TicketScreen,
  '/operations': OperationsScreen,
  '/operations/:operationId': OperationScreen,
  '/uncertain': OperationsScreen,
  '/approvals': ApprovalsScreen,
  '/approvals/:operationId': ApprovalsScreen,
  '/device': DeviceScreen,
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
