import { downPrefix, openFrame, parseDigits, publishBytes } from '../../../protocol/frame.ts'
import { type AnyCommand, parseCommand } from '../../../protocol/messages/command.ts'
import { downTopic } from '../../../protocol/topics.ts'
import type { IgnoredReason } from '../device/state/speaker-events.ts'

/** A PUBLISH on the down topic after verification and parsing. */
export type Incoming =
  | { type: 'command'; command: AnyCommand; bytes: number }
  | { type: 'unknown_command'; id: string; n: number; t: string }
  | { type: 'ignored'; reason: IgnoredReason }

/**
 * Verifies a payload, then parses it (sb/1 5.3). `bytes` is the size of the whole PUBLISH; `body` is undefined when
 * verification fails.
 */
export function readIncoming(
  downKey: Uint8Array,
  { serial, sid }: { serial: string; sid: string },
  payload: Uint8Array,
): { bytes: number; body: unknown; incoming: Incoming } {
  const bytes = publishBytes(downTopic(serial), payload)
  const opened = openFrame(downKey, downPrefix(serial, sid), payload, parseDigits)
  if (!opened.ok) return { bytes, body: undefined, incoming: { type: 'ignored', reason: opened.reason } }
  return { bytes, body: opened.body, incoming: read(opened.body, bytes) }
}

function read(body: unknown, bytes: number): Incoming {
  const parsed = parseCommand(body)
  switch (parsed.kind) {
    case 'command':
      return { type: 'command', command: parsed.command, bytes }
    case 'unsupported':
      return { type: 'unknown_command', id: parsed.id, n: parsed.n, t: parsed.t }
    case 'malformed':
      return { type: 'ignored', reason: 'malformed' }
  }
}
