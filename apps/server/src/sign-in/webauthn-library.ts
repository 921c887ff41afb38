/**
 * The library that reads and checks passkeys, loaded when the first of them comes: with all that it brings it is a fifth
 * of what a process loads, and most processes (a worker, a command) never see a passkey.
 */
export const webauthnLibrary = async () => {
  const [server, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  return { ...server, ...helpers };
};

export type WebauthnLibrary = Awaited<ReturnType<typeof webauthnLibrary>>;
