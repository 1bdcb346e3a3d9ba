export type { Clock } from './calls/clock.ts'
export {
  type ErrorCode,
  type ErrorCodeOf,
  type ErrorDetail,
  HubError,
  isHubError,
  isTemporary,
  NoAnswerError,
  type OperationName,
} from './calls/errors.ts'
export type { Attempt, CallOptions, HubClientOptions } from './calls/options.ts'
export { HubClient } from './client.ts'
export type { ErrorNames, Operations } from './generated/operations.ts'
export type * from './generated/types.ts'
export { canonical, checksum, type Payment, type SignedFields } from './operations/checksum.ts'
export type { EventsOptions } from './operations/events.ts'
export {
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookReason,
} from './webhooks.ts'
