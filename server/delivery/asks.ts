import type { Message } from '../cluster/messages.ts'
import type { Answer } from '../devices/answer.ts'
import { CODE_SHOWN_WITHIN_MS } from '../devices/verification-code.ts'
import type { DeviceKeeper } from './device-control.ts'
import type { ScreenKeeper } from './screens.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

/** For `identify`, the device may be speaking a payment first. Nobody waits for the end of `clearCode`. */
const WITHIN_MS: Record<Message['kind'], number> = {
  showCode: CODE_SHOWN_WITHIN_MS,
  clearCode: CODE_SHOWN_WITHIN_MS,
  identify: 10_000,
}

/** Asks devices, at whatever hub they are. */
export function createAsks(
  { sessions, cluster: { messages } }: Parts,
  { screens, control }: { screens: ScreenKeeper; control: DeviceKeeper },
) {
  async function askHere(session: Session, message: Message, withinMs: number): Promise<Answer> {
    switch (message.kind) {
      case 'showCode':
        return screens.showCode(session, message, withinMs)
      case 'clearCode':
        screens.clearCode(session)
        return { kind: 'done' }
      case 'identify':
        return control.identify(session, withinMs)
    }
  }

  function ask(deviceId: string, message: Message): Promise<Answer> {
    const session = sessions.born(deviceId)
    const withinMs = WITHIN_MS[message.kind]
    return session ? askHere(session, message, withinMs) : messages.ask(deviceId, message, withinMs)
  }

  return {
    showCode: (deviceId: string, code: string, expiresAt: number) =>
      ask(deviceId, { kind: 'showCode', code, expiresAt }),

    clearCode: (deviceId: string) =>
      sessions.inBackground('clearing a code', ask(deviceId, { kind: 'clearCode' })),

    identify: (deviceId: string) => ask(deviceId, { kind: 'identify' }),

    /** Carries out what other hubs ask of this hub's devices. The returned function ends it. */
    start: () =>
      messages.serve(async (deviceId, message, withinMs) => {
        const session = sessions.born(deviceId)
        return session ? askHere(session, message, withinMs) : { kind: 'offline' }
      }),
  }
}
