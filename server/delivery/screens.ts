import type { ScreenState } from '../announcements/ports.ts'
import type { Answer } from '../devices/answer.ts'
import type { Screens } from '../devices/ports.ts'
import { ask } from './session/ask.ts'
import { type CommandEnd, createCommand } from './session/command.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

/** The screens of connected devices. */
export interface ScreenKeeper extends Pick<Screens, 'refresh' | 'clearBill'> {
  /** Brings a device's screen up to date with the state that the caller has just read. */
  show(session: Session, state: ScreenState): void
  /** As `refresh`, but does not send the bill again that the device shows. */
  refreshIfChanged(session: Session): Promise<void>
  /** Shows a verification code, and waits until the device confirms it. */
  showCode(session: Session, code: { code: string; expiresAt: number }, withinMs: number): Promise<Answer>
  clearCode(session: Session): void
}

export function createScreens(deps: Parts): ScreenKeeper {
  const { outbox, patiently, sessions, clock } = deps
  /** The bill that each session has sent last. */
  const sentBills = new WeakMap<Session, string>()

  function show(session: Session, { profile, bill, hasEndedBill }: ScreenState) {
    const { screen } = session
    // A device that has just come may still show a bill that ended while it was offline, and must not be paid again.
    const mayShowEnded = screen.profile === undefined && hasEndedBill
    const idle = JSON.stringify(profile)
    if (screen.profile !== idle) session.push(createCommand(deps, { kind: 'profile', ...profile }))
    if (bill) showBill(session, bill)
    else if (screen.bill !== undefined || mayShowEnded) clear(session, 'qr')
    screen.profile = idle
    screen.bill = bill?.id
  }

  function refresh(deviceId: string) {
    const session = sessions.toTell(deviceId, 'screen')
    if (!session) return
    const read = patiently(() => outbox.screen(deviceId, clock.now()))
    sessions.inBackground(
      'refreshing a screen',
      read.then((state) => show(session, state)),
    )
  }

  function showBill(session: Session, bill: NonNullable<ScreenState['bill']>) {
    const { id, qr, amount, billNumber, shownUntil: expiresAt } = bill
    sentBills.set(session, JSON.stringify(bill))
    const onEnd = (end: CommandEnd) => {
      // The QR of another bill must not stay on the screen.
      if (end.kind !== 'failed' || session.screen.bill !== id) return
      session.screen.bill = undefined
      clear(session, 'qr')
    }
    session.push(createCommand(deps, { kind: 'qr', qr, amount, billNumber }, { expiresAt, onEnd }))
  }

  function clear(session: Session, what: 'code' | 'qr', onEnd?: (end: CommandEnd) => void) {
    session.push(createCommand(deps, { kind: 'clear', what }, onEnd && { onEnd }))
  }

  return {
    show,

    refresh,

    async refreshIfChanged(session) {
      const state = await outbox.screen(session.deviceId, clock.now())
      const { profile, bill } = session.screen
      const isSame = bill === state.bill?.id && profile === JSON.stringify(state.profile)
      if (!isSame || (bill !== undefined && sentBills.get(session) !== JSON.stringify(state.bill)))
        show(session, state)
    },

    async showCode(session, { code, expiresAt }, withinMs) {
      const command = createCommand(deps, { kind: 'code', code }, { expiresAt })
      const answer = await ask(session, command, { clock, withinMs })
      // A slow screen may still show it: a code that was not issued must not stay there.
      if (answer.kind === 'not_responding') clear(session, 'code')
      return answer
    },

    clearCode: (session) => clear(session, 'code'),

    clearBill(deviceIds, billId) {
      for (const deviceId of deviceIds) {
        const session = sessions.toTell(deviceId, 'screen')
        if (session?.screen.bill !== billId) continue
        session.screen.bill = undefined
        clear(session, 'qr', (end) => {
          // Another bill may still wait for its payment.
          if (end.kind === 'done') refresh(deviceId)
        })
      }
    },
  }
}
