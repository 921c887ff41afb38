/** What the menu of the person says beside the places. */
export const accountMenu = { security: 'Passkeys and sessions', notices: 'Notices' };
