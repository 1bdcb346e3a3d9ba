import type { ScreenState } from '../announcements/ports.ts'
import type { Answer } from '../devices/answer.ts'
import { type CommandEnd, createCommand } from './session/command.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

export type ScreenKeeper = ReturnType<typeof createScreens>

/** The screens of connected devices. */
export function createScreens(parts: Parts) {
  const { outbox, patiently, sessions, clock } = parts
  /** The bill that each session has sent last. */
  const sentBills = new WeakMap<Session, string>()

  /** Brings a device's screen up to date with the state that the caller has just read. */
  function show(session: Session, { profile, bill, hasEndedBill }: ScreenState) {
    const { screen } = session
    // A device that has just come may still show a bill that ended while it was offline, and must not be paid again.
    const mayShowEnded = screen.profile === undefined && hasEndedBill
    const idle = JSON.stringify(profile)
    if (screen.profile !== idle) session.push(createCommand(parts, { kind: 'profile', ...profile }))
    if (bill) {
      sentBills.set(session, JSON.stringify(bill))
      showBill(parts, session, bill)
    } else if (screen.bill !== undefined || mayShowEnded) clear(parts, session, 'qr')
    screen.profile = idle
    screen.bill = bill?.id
  }

  function refresh(deviceId: string) {
    const session = sessions.toTell(deviceId, 'screen')
    if (!session) return
    const read = patiently(() => outbox.screen(deviceId, clock.now()))
    const shown = read.then((state) => show(session, state))
    sessions.inBackground('refreshing a screen', shown)
  }

  return {
    show,

    refresh,

    /** As `refresh`, but does not send the bill again that the device shows. */
    async refreshIfChanged(session: Session) {
      const state = await outbox.screen(session.deviceId, clock.now())
      const { profile, bill } = session.screen
      const isSame = bill === state.bill?.id && profile === JSON.stringify(state.profile)
      if (!isSame || (bill !== undefined && sentBills.get(session) !== JSON.stringify(state.bill)))
        show(session, state)
    },

    /** Shows a verification code, and waits until the device confirms it. */
    async showCode(
      session: Session,
      { code, expiresAt }: { code: string; expiresAt: number },
      withinMs: number,
    ): Promise<Answer> {
      const command = createCommand(parts, { kind: 'code', code }, { expiresAt })
      const answer = await session.ask(command, withinMs)
      // A slow screen may still show it: a code that was not issued must not stay there.
      if (answer.kind === 'not_responding') clear(parts, session, 'code')
      return answer
    },

    clearCode: (session: Session) => clear(parts, session, 'code'),

    clearBill(deviceIds: readonly string[], billId: string) {
      for (const deviceId of deviceIds) {
        const session = sessions.toTell(deviceId, 'screen')
        if (session?.screen.bill !== billId) continue
        session.screen.bill = undefined
        clear(parts, session, 'qr', (end) => {
          // Another bill may still wait for its payment.
          if (end.kind === 'done') refresh(deviceId)
        })
      }
    },
  }
}

function showBill(parts: Parts, session: Session, bill: NonNullable<ScreenState['bill']>) {
  const { id, qr, amount, billNumber, shownUntil: expiresAt } = bill
  const onEnd = (end: CommandEnd) => {
    // The QR of another bill must not stay on the screen.
    if (end.kind !== 'failed' || session.screen.bill !== id) return
    session.screen.bill = undefined
    clear(parts, session, 'qr')
  }
  session.push(createCommand(parts, { kind: 'qr', qr, amount, billNumber }, { expiresAt, onEnd }))
}

function clear(parts: Parts, session: Session, what: 'code' | 'qr', onEnd?: (end: CommandEnd) => void) {
  session.push(createCommand(parts, { kind: 'clear', what }, onEnd && { onEnd }))
}
