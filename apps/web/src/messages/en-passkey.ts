/** Signing in with a passkey. */
export const passkeyWords = {
  button: 'Sign in with a passkey',
  refused: 'This passkey does not open anything here. It may have been revoked.',
  cancelled: 'No passkey was used. You can sign in with your password.',
  notHere: 'Passkeys do not work at this address. Sign in with your password.',
};
