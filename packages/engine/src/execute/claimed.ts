import type { EncodedRequest, RefundRequest } from '@holdfast/providers';

/** A committed claim: the attempt's row is written, and one request may be made for it. */
export type Claimed = {
  readonly organisationId: string;
  readonly operationId: string;
  readonly attemptNumber: number;
  readonly fence: number;
  /** The bytes stored at the first attempt. */
  readonly request: EncodedRequest;
  /** What the answer must agree with. */
  readonly expected: RefundRequest;
  /** No earlier attempt may have reached the provider. */
  readonly firstSend: boolean;
};
