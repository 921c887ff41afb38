/** Version of the messages in this folder. Changing a schema without raising it fails the hash test. */
export const protocolVersion = 3;

/** The server serves the current version and the two before. */
export const servedProtocolVersions: readonly number[] = [1, 2, 3];

export const protocolHeader = 'Holdfast-Protocol';
