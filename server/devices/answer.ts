import { HubError } from '../platform/errors.ts'

/** How a device answered a command that somebody waits for. */
export type Answer =
  | { kind: 'done' }
  | { kind: 'failed'; reason: string }
  | { kind: 'offline' }
  | { kind: 'not_responding' }

/** Throws unless the device did what it was asked. `failed` makes the error of a device that refused. */
export function assertDone(answer: Answer, failed: (reason: string) => HubError) {
  if (answer.kind === 'failed') throw failed(answer.reason)
  if (answer.kind === 'offline') throw new HubError('DEVICE_OFFLINE')
  if (answer.kind === 'not_responding') throw new HubError('DEVICE_NOT_RESPONDING')
}
