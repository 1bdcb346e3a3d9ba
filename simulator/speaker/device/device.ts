import type { AnyCommand } from '../../../protocol/messages/command.ts'
import { ackFailed, ackStored, repeatFailure } from './acks.ts'
import { onRekey } from './rekey.ts'
import { onDismiss, onScreenCommand, watchNotice } from './screens.ts'
import { onClosed, onOpened, onWelcome, publishTelemetrySoon } from './session.ts'
import { onAdjusted, onSettings } from './settings.ts'
import { onAnnounce, onIdentify, startNext, stopInaudibleSound } from './sounds.ts'
import type { DeviceEvent } from './state/events.ts'
import { type Fault, withFault } from './state/faults.ts'
import { receiveBufferOf, supports } from './state/hardware.ts'
import { chain, type DeviceState, emit, noEffects, type Step } from './state/state.ts'
import { fireTimers } from './timers.ts'
import { onUpdate } from './update.ts'
import { updateVitals } from './vitals.ts'

/**
 * The speaker as a pure function of its state and an event. It fires the timers that are due before it handles the
 * event, so a late tick has no visible effect. The order of the checks is sb/1 10.1.
 */
export function step(state: DeviceState, event: DeviceEvent): Step {
  const handled = chain(fireTimers(state, event.nowMs), (next) => handle(next, event))
  return chain(handled, (next) => watchNotice(next, event.nowMs))
}

function handle(state: DeviceState, event: DeviceEvent): Step {
  switch (event.type) {
    case 'tick':
      return noEffects(state)
    case 'connecting':
      return noEffects({ ...state, link: { phase: 'connecting' } })
    case 'opened':
      return onOpened(state, event.sid, event.key, event.nowMs)
    case 'closed':
      return onClosed(state, event)
    case 'command':
      return onCommand(state, event.command, event.bytes, event.nowMs)
    case 'unknown_command':
      return ifWelcomed(state, event, () => ackFailed(state, event, 'unsupported'))
    case 'ack_stored':
      return chain(ackStored(state, event.token), (next) => startNext(next, event.nowMs))
    case 'adjusted':
      return onAdjusted(state, event.change)
    case 'dismiss':
      return onDismiss(state)
    case 'fault':
      return onFault(state, event.fault, event.on, event.nowMs)
  }
}

function onFault(state: DeviceState, fault: Fault, on: boolean, nowMs: number): Step {
  if (state.faults.includes(fault) === on) return noEffects(state)
  const broken = { ...state, faults: withFault(state.faults, fault, on) }
  const emitted = chain(emit(broken, { event: 'fault', fault, on }), (next) => updateVitals(next, nowMs))
  const reported = chain(emitted, (next) =>
    next.vitals === state.vitals ? noEffects(next) : publishTelemetrySoon(next, nowMs),
  )
  return chain(reported, (next) => stopInaudibleSound(next, nowMs))
}

function onCommand(state: DeviceState, command: AnyCommand, bytes: number, nowMs: number): Step {
  if (command.t === 'welcome') return onWelcome(state, command, nowMs)
  return ifWelcomed(state, command, () =>
    bytes > receiveBufferOf(state) ? ackFailed(state, command, 'too_large') : execute(state, command, nowMs),
  )
}

/**
 * Ignores commands before the welcome. The hub resends them; a `failed` ack would end the command (sb/1
 * 7.14).
 */
function ifWelcomed(
  state: DeviceState,
  command: { t: string; id: string; n: number },
  act: () => Step,
): Step {
  if (state.link.phase !== 'welcomed') return emit(state, { event: 'ignored', reason: 'before_welcome' })
  return repeatFailure(state, command) ?? act()
}

function execute(state: DeviceState, command: Exclude<AnyCommand, { t: 'welcome' }>, nowMs: number): Step {
  // Answer at once: the hub must not wait for hardware that is missing (sb/1 7.17).
  if (!supports(state.config, command.t)) return ackFailed(state, command, 'unsupported')
  switch (command.t) {
    case 'announce':
      return onAnnounce(state, command, nowMs)
    case 'identify':
      return onIdentify(state, command, nowMs)
    case 'settings':
      return onSettings(state, command, nowMs)
    case 'rekey':
      return onRekey(state, command, nowMs)
    case 'update':
      return onUpdate(state, command, nowMs)
    case 'profile':
    case 'code':
    case 'qr':
    case 'clear':
    case 'missed':
      return onScreenCommand(state, command, nowMs)
  }
}
