/** An operation as the API tells it to an operator's program. */
export type OperationRecord = {
  readonly id: string;
  readonly state: string;
  readonly version: number;
  readonly needsPerson: boolean;
  readonly attemptCount: number;
  readonly sentence: string;
  readonly createdAt: string;
  readonly provider: { readonly reference: string | null };
  readonly amount: { readonly minor: number; readonly currency: string } | null;
  readonly approvals: readonly { readonly by: { readonly name: string } }[];
  readonly timeline?: readonly {
    readonly type: string;
    readonly state?: string;
    readonly sentence: string;
  }[];
  readonly attempts?: readonly { readonly number: number; readonly result: string | null }[];
  readonly observations?: readonly { readonly source: string; readonly kind: string }[];
};

/** Asks the API as a program with this key. */
export const askAs =
  (base: string, key: string) =>
  async (method: 'GET' | 'PUT', route: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${base}${route}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route} answered ${response.status}: ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
