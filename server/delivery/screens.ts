import { CODE_SHOWN_WITHIN_MS } from '../devices/verification-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { CodeShown, Outbox, ScreenState, Screens } from './ports.ts'
import { type CommandEnd, clearCommand, codeCommand, profileCommand, qrCommand } from './session/command.ts'
import type { Session } from './session/session-interface.ts'
import type { Sessions } from './sessions.ts'

/** The screens of the devices that are there. */
export interface ScreenKeeper extends Screens {
  /**
   * Shows what a device should show, as far as it does not show it already; `known` is that, when it was read just now.
   */
  show(session: Session, known?: ScreenState): Promise<void>
}

export function createScreens(deps: {
  outbox: Outbox
  sessions: Sessions
  clock: Clock
  ids: Ids
}): ScreenKeeper {
  const { outbox, sessions, clock, ids } = deps

  async function show(session: Session, known?: ScreenState) {
    const { profile, bill, hasEndedBill } = known ?? (await outbox.screen(session.deviceId, clock.now()))
    const { screen } = session
    // A device that has just come may still show what has ended while it was away: that must not be paid again.
    const mayShowEnded = screen.profile === undefined && hasEndedBill
    const idle = JSON.stringify(profile)
    if (screen.profile !== idle) session.push(profileCommand(ids.commandId(), clock.now(), profile))
    if (bill) session.push(qrCommand(ids.commandId(), bill, (end) => clearUnshown(session, bill.id, end)))
    else if (screen.bill !== undefined || mayShowEnded) clear(session, 'qr')
    screen.profile = idle
    screen.bill = bill?.id
  }

  function clear(session: Session, what: 'code' | 'qr', onEnd?: (end: CommandEnd) => void) {
    session.push(clearCommand(ids.commandId(), clock.now(), what, onEnd))
  }

  /** A QR that could not be shown must not leave another bill's on the screen. */
  function clearUnshown(session: Session, billId: string, end: CommandEnd) {
    if (end.kind !== 'failed' || session.screen.bill !== billId) return
    session.screen.bill = undefined
    clear(session, 'qr')
  }

  /** Resolves when the device has confirmed the code, has failed to show it, or has had its time. */
  function showCodeOn(session: Session, code: string, expiresAt: number): Promise<CodeShown> {
    const { promise, resolve } = Promise.withResolvers<CodeShown>()
    const id = ids.commandId()
    const cancelTimeout = clock.after(CODE_SHOWN_WITHIN_MS, () => {
      resolve('not_responding')
      session.withdraw((command) => command.id === id)
      // It may yet appear on a screen that was slow: a code that was never issued must not stay there.
      clear(session, 'code')
    })
    session.push(
      codeCommand(id, code, expiresAt, (end) => {
        cancelTimeout()
        if (end.kind === 'done') resolve('shown')
        else if (end.kind === 'failed') resolve('display_failed')
        else resolve(session.born() ? 'not_responding' : 'offline')
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
        clear(session, 'qr', (end) => {
          // Another bill may still be waiting for its payment.
          if (end.kind === 'done') sessions.inBackground('refreshing a screen', show(session))
        })
      }
    },
  }
}
