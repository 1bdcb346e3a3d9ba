import type { BoxEffect } from './effects.ts'
import { withBoxFault } from './faults.ts'
import type { Firmware } from './firmware.ts'
import type { BoxEvent, BoxState } from './state.ts'
import { Turn } from './turn.ts'

/**
 * The box as a pure function of its state and an event. `nowMs` is its own clock. The firmware decides what a message
 * means; sounds, times and faults are the same for all kinds.
 */
export function stepBox(
  firmware: Firmware,
  state: BoxState,
  event: BoxEvent,
  nowMs: number,
): { state: BoxState; effects: readonly BoxEffect[] } {
  const turn = new Turn(state, nowMs)
  // A timer may be late: what was due before the event happens before it.
  elapse(firmware, turn)
  act(firmware, turn, event)
  return { state: turn.state, effects: turn.effects }
}

/** The next time at which `stepBox` has something to do; undefined when there is none. */
export function boxDueAtMs({ playing, screen, beatAtMs, link }: BoxState): number | undefined {
  const times = [
    playing?.endsAtMs,
    'untilMs' in screen ? screen.untilMs : undefined,
    link.phase === 'online' ? beatAtMs : undefined,
  ].filter((time) => time !== undefined)
  return times.length === 0 ? undefined : Math.min(...times)
}

function elapse(firmware: Firmware, turn: Turn): void {
  const { playing, screen, beatAtMs, link } = turn.state
  if ('untilMs' in screen && screen.untilMs !== undefined && screen.untilMs <= turn.nowMs)
    turn.clear('expired')
  if (playing && playing.endsAtMs <= turn.nowMs) {
    const ended = turn.endSound()
    if (ended) {
      firmware.ended?.(turn, ended)
      turn.startNext()
    }
  }
  if (link.phase === 'online' && beatAtMs !== undefined && beatAtMs <= turn.nowMs) firmware.beat?.(turn)
}

function act(firmware: Firmware, turn: Turn, event: BoxEvent) {
  switch (event.type) {
    case 'connecting':
      return turn.set({ link: { phase: 'connecting' } })
    case 'connected':
      firmware.connected?.(turn)
      return subscribe(firmware, turn)
    case 'subscribed':
      turn.set({ link: { phase: 'online' } })
      turn.emit({ event: 'connected' })
      return firmware.subscribed?.(turn)
    case 'closed':
      return closed(turn, event)
    case 'message':
      if (turn.has('no-puback')) turn.withhold()
      return firmware.heard(turn, event)
    case 'key':
      return firmware.keyed?.(turn, event.key)
    case 'fault': {
      const { fault, on } = event
      if (turn.has(fault) === on) return
      turn.set({ faults: withBoxFault(turn.state.faults, fault, on) })
      return turn.emit({ event: 'fault', fault, on })
    }
    case 'tick':
  }
}

function subscribe(firmware: Firmware, turn: Turn): void {
  const topic = firmware.topic(turn.config)
  turn.effects.push({
    type: 'subscribe',
    topic: turn.has('wrong-topic') ? `${topic}/wrong` : topic,
    qos: turn.has('qos0') ? 0 : 1,
  })
}

function closed(turn: Turn, { reason, code, retryInMs }: Extract<BoxEvent, { type: 'closed' }>): void {
  const { phase } = turn.state.link
  const retryAtMs = retryInMs === undefined ? undefined : turn.nowMs + retryInMs
  turn.set({ link: { phase: 'offline', reason, retryAtMs } })
  if (typeof code === 'number')
    turn.emit({ event: 'refused', code, reason, ...(retryInMs === undefined ? {} : { retryInMs }) })
  else if (phase === 'online') turn.emit({ event: 'disconnected', reason })
  else if (retryInMs !== undefined) turn.emit({ event: 'offline', reason, retryInMs })
}
