import type { Outbox, ScreenState } from '../announcements/ports.ts'
import type { CodeShown, Screens } from '../devices/ports.ts'
import { CODE_SHOWN_WITHIN_MS } from '../devices/verification-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import { billCommand, clearCommand, codeCommand, type OnEnd, profileCommand } from './session/command.ts'
import type { Session } from './session/ports.ts'
import type { Sessions } from './sessions.ts'

/** The screens of connected devices. */
export interface ScreenKeeper extends Screens {
  /** Brings a device's screen up to date. `known` is its state, when the caller has just read it. */
  show(session: Session, known?: ScreenState): Promise<void>
}

export function createScreens(deps: {
  outbox: Pick<Outbox, 'screen'>
  sessions: Sessions
  clock: Clock
  ids: Ids
}): ScreenKeeper {
  const { outbox, sessions, clock, ids } = deps

  async function show(session: Session, known?: ScreenState) {
    const { profile, bill, hasEndedBill } = known ?? (await outbox.screen(session.deviceId, clock.now()))
    const { screen } = session
    // A device that has just come may still show a bill that ended while it was offline, and must not be paid again.
    const mayShowEnded = screen.profile === undefined && hasEndedBill
    const idle = JSON.stringify(profile)
    if (screen.profile !== idle) session.push(profileCommand(ids.commandId(), clock.now(), profile))
    if (bill) session.push(billCommand(ids.commandId(), bill, clearOnFailure(session, bill.id)))
    else if (screen.bill !== undefined || mayShowEnded) clear(session, 'bill')
    screen.profile = idle
    screen.bill = bill?.id
  }

  function clear(session: Session, what: 'code' | 'bill', onEnd?: OnEnd) {
    session.push(clearCommand(ids.commandId(), clock.now(), what, onEnd))
  }

  /** When a QR could not be shown, the QR of another bill must not stay on the screen. */
  function clearOnFailure(session: Session, billId: string): OnEnd {
    return (end) => {
      if (end.kind !== 'failed' || session.screen.bill !== billId) return
      session.screen.bill = undefined
      clear(session, 'bill')
    }
  }

  /** Resolves when the device has shown the code, has failed to show it, or has not answered in time. */
  function showCodeOn(session: Session, code: string, expiresAt: number): Promise<CodeShown> {
    const { promise, resolve } = Promise.withResolvers<CodeShown>()
    const id = ids.commandId()
    const cancelTimeout = clock.after(CODE_SHOWN_WITHIN_MS, () => {
      resolve('not_responding')
      session.withdraw((command) => command.id === id)
      // A slow screen may still show it: a code that was not issued must not stay there.
      clear(session, 'code')
    })
    session.push(
      codeCommand(id, code, expiresAt, (end) => {
        cancelTimeout()
        if (end.kind === 'done') resolve('shown')
        else if (end.kind === 'failed') resolve('display_failed')
        else resolve(session.isBorn() ? 'not_responding' : 'offline')
      }),
    )
    return promise
  }

  return {
    show,

    refresh(deviceId) {
      const session = sessions.born(deviceId)
      if (session) sessions.inBackground('refreshing a screen', show(session))
    },

    async showCode(deviceId, code, expiresAt) {
      const session = sessions.born(deviceId)
      return session ? showCodeOn(session, code, expiresAt) : 'offline'
    },

    clearCode(deviceId) {
      const session = sessions.born(deviceId)
      if (session) clear(session, 'code')
    },

    clearBill(deviceIds, billId) {
      for (const deviceId of deviceIds) {
        const session = sessions.born(deviceId)
        if (session?.screen.bill !== billId) continue
        session.screen.bill = undefined
        clear(session, 'bill', (end) => {
          // Another bill may still wait for its payment.
          if (end.kind === 'done') sessions.inBackground('refreshing a screen', show(session))
        })
      }
    },
  }
}
