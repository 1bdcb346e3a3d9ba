export { canonical, checksum, type Payment, type SignedFields } from './checksum.ts'
export { type EventsOptions, HubClient } from './client.ts'
export type { Clock } from './clock.ts'
export {
  type ErrorCode,
  type ErrorCodeOf,
  type ErrorDetail,
  HubError,
  isHubError,
  isTemporary,
  NoAnswerError,
  type OperationName,
} from './errors.ts'
export type { ErrorNames, Operations } from './generated/operations.ts'
export type * from './generated/types.ts'
export type { Attempt, CallOptions, HubClientOptions } from './options.ts'
export {
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookReason,
} from './webhooks.ts'
