import { roleMay, type Role } from '@holdfast/operation';

export const placeKeys = [
  'home',
  'approvals',
  'uncertain',
  'operations',
  'orders',
  'numbers',
  'device',
  'sweeps',
  'audit',
  'hold',
  'settings',
] as const;
export type PlaceKey = (typeof placeKeys)[number];

export const placePaths: Record<PlaceKey, string> = {
  home: '/',
  approvals: '/approvals',
  uncertain: '/uncertain',
  operations: '/operations',
  orders: '/orders',
  numbers: '/numbers',
  device: '/device',
  sweeps: '/sweeps',
  audit: '/audit',
  hold: '/hold',
  settings: '/settings',
};

/** Where each role's work is. The server decides what a role may do; this is only what stands in the navigation. */
export const placesFor = (role: Role): readonly PlaceKey[] => {
  const places: PlaceKey[] = [];
  if (roleMay(role, 'agent')) places.push('home');
  if (roleMay(role, 'approver')) places.push('approvals');
  if (roleMay(role, 'operator')) places.push('uncertain', 'operations', 'orders', 'numbers');
  else places.push('orders');
  places.push('device');
  if (roleMay(role, 'operator')) places.push('sweeps', 'audit', 'hold');
  if (role === 'admin') places.push('settings');
  return places;
};

/** At a phone's bottom stand three places at most; the rest is in the menu. */
export const thumbPlacesFor = (role: Role): readonly PlaceKey[] => {
  const places = placesFor(role);
  if (places.length <= 3) return places;
  return role === 'operator' ? ['uncertain', 'operations', 'orders'] : ['home', 'approvals', 'uncertain'];
};

/** Where a person lands who opens the app without an address. */
export const landingFor = (role: Role): string => {
  switch (role) {
    case 'approver':
      return placePaths.approvals;
    case 'operator':
      return placePaths.uncertain;
    case 'agent':
    case 'admin':
    case 'integrator':
      return placePaths.home;
  }
};
