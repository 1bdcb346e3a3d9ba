import type { Command, CommandBody, CommandEnd } from '../../../../server/delivery/session/command.ts'
import type { Effect, Sent } from '../../../../server/delivery/session/effects.ts'
import type { ReportedStage, SessionRules } from '../../../../server/delivery/session/ports.ts'
import * as state from '../../../../server/delivery/session/state.ts'
import { rules as sb1Rules } from '../../../../server/dialects/sb1/limits.ts'

export const TTL_MS = 120_000
export const BODIES = {
  welcome: { kind: 'welcome', highestNumber: 1, linked: true, settingsVersion: 1 },
  code: { kind: 'code', code: '123456' },
  announce: { kind: 'announce', amount: '1000', lang: 'vi', paidBill: '' },
  profile: { kind: 'profile', name: '', qr: '' },
  identify: { kind: 'identify' },
} as const satisfies Record<string, CommandBody>
export type Kind = keyof typeof BODIES

/** An open session whose effects a test sees. A number and a sending are stored when the test says so. */
export function open(sessionRules: SessionRules = sb1Rules) {
  let elapsed = 0
  let pushed = 0
  const clock = { now: () => elapsed, elapsed: () => elapsed, after: () => () => undefined }
  const rules = { rules: sessionRules, clock }
  const session = state.newState()
  const timers = new Map<Sent, number>()
  const sendings: { id: string; at: number; ttl: number }[] = []
  const ends: [id: string, end: CommandEnd['kind']][] = []
  const storing = new Set<Sent>()
  const resets: number[] = []
  /** When `next` is called again. */
  let nextAt = Number.POSITIVE_INFINITY

  function run(effects: readonly Effect[]) {
    for (const effect of effects) perform(effect)
  }
  function perform(effect: Effect) {
    if (effect.type === 'store') storing.add(effect.sent)
    if (effect.type === 'check') run(state.checked(session, effect.sent, true, rules))
    if (effect.type === 'wait' && effect.sent.phase !== 'ended') timers.set(effect.sent, elapsed + effect.ms)
    if (effect.type === 'cancel') timers.delete(effect.sent)
    if (effect.type === 'ended') ends.push([effect.command.id, effect.end.kind])
    if (effect.type === 'next') run(state.next(session, rules))
    if (effect.type === 'nextLater') nextAt = elapsed + effect.ms
    if (effect.type === 'reset') resets.push(elapsed)
    if (effect.type !== 'send') return
    const { id, expiresAt } = effect.sent.command
    sendings.push({ id, at: elapsed, ttl: expiresAt - elapsed })
  }
  run(state.begin(session, rules))

  return {
    ...{ session, rules, run, sendings, ends, timers, resets },
    push(kind: Kind, ttlMs = TTL_MS): Command {
      pushed += 1
      const command = { id: `${pushed}`, body: BODIES[kind], expiresAt: elapsed + ttlMs }
      run(state.push(session, command))
      return command
    },
    stored(maySend = true) {
      for (const sent of storing) {
        storing.delete(sent)
        run(state.stored(session, sent, maySend ? Number(sent.command.id) : undefined, rules))
      }
    },
    ack(commandId: string, stage: ReportedStage) {
      const ack = { commandId, commandNumber: Number(commandId), stage, reason: undefined }
      if (state.ackArrived(session, ack)) run(state.ackStored(session, ack, rules) ?? [])
    },
    wind(ms: number) {
      const until = elapsed + ms
      for (;;) {
        const [next] = [...timers].filter(([, at]) => at <= until).sort(([, a], [, b]) => a - b)
        if (nextAt <= Math.min(until, next?.[1] ?? until)) {
          elapsed = nextAt
          nextAt = Number.POSITIVE_INFINITY
          run(state.next(session, rules))
          continue
        }
        if (!next) break
        timers.delete(next[0])
        elapsed = next[1]
        run(state.timeOver(session, next[0], rules))
      }
      elapsed = until
    },
    phases: () => session.sent.map(({ phase }) => phase),
  }
}
