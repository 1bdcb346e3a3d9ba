import type { Ack } from '../../../../protocol/messages/ack.ts'
import type { AnyCommand, CommandType } from '../../../../protocol/messages/command.ts'
import { step } from '../../../../simulator/speaker/device/device.ts'
import type { Effect } from '../../../../simulator/speaker/device/state/effects.ts'
import type { DeviceEvent } from '../../../../simulator/speaker/device/state/events.ts'
import type { DeviceState } from '../../../../simulator/speaker/device/state/state.ts'

/** Small wrappers around the speaker's own step: each takes one rule away. */

export type Decide = typeof step

/** Knows the state before a command of one type as another one. */
export function before<T extends CommandType>(
  t: T,
  change: (state: DeviceState, command: Extract<AnyCommand, { t: T }>) => Partial<DeviceState>,
): Decide {
  return (state, event) =>
    step(isCommand(event, t) ? { ...state, ...change(state, event.command) } : state, event)
}

/** Decides otherwise about commands of one type; `state` is the one before the command. */
export function after<T extends CommandType>(
  t: T,
  change: (
    decided: ReturnType<Decide>,
    command: Extract<AnyCommand, { t: T }>,
    state: DeviceState,
  ) => ReturnType<Decide>,
): Decide {
  return (state, event) => {
    const decided = step(state, event)
    return isCommand(event, t) ? change(decided, event.command, state) : decided
  }
}

/** Hears commands of one type as other ones. */
export function hears<T extends CommandType>(
  t: T,
  change: (
    command: Extract<AnyCommand, { t: T }>,
    state: DeviceState,
  ) => Partial<Extract<AnyCommand, { t: T }>>,
): Decide {
  return (state, event) =>
    isCommand(event, t)
      ? step(state, { ...event, command: { ...event.command, ...change(event.command, state) } })
      : step(state, event)
}

/** Takes no sound while so many sound or wait, and does not answer it (sb/1 7.11). */
export function roomFor(sounds: number): Decide {
  return (state, event) => {
    const isSound = isCommand(event, 'announce') || isCommand(event, 'identify')
    const isFull = state.queue.length + (state.sounding ? 1 : 0) >= sounds
    const isKnown =
      isSound && [state.sounding?.sound, ...state.queue].some((one) => one?.id === event.command.id)
    return isSound && isFull && !isKnown ? { state, effects: [] } : step(state, event)
  }
}

/** Takes no announcement while another one sounds, and answers it so. */
export function oneAtATime(
  answer: (command: Pick<AnyCommand, 'id' | 'n'>) => readonly Effect[] = () => [],
): Decide {
  return (state, event) => {
    if (!isCommand(event, 'announce')) return step(state, event)
    const { command } = event
    const isFree = !state.sounding || state.sounding.sound.id === command.id
    return isFree ? step(state, event) : { state, effects: [...answer(command)] }
  }
}

/** Does other things than it decided. */
export function does(change: (effects: readonly Effect[], event: DeviceEvent) => readonly Effect[]): Decide {
  return (state, event) => {
    const decided = step(state, event)
    return { ...decided, effects: change(decided.effects, event) }
  }
}

/** Says other things to the hub than it decided; `t` is the type of the command, where it is known. */
export function acks(
  change: (body: Ack, state: DeviceState, t: CommandType | undefined) => readonly Ack[],
): Decide {
  const types = new Map<string, CommandType>()
  return (state, event) => {
    if (event.type === 'command') types.set(event.command.id, event.command.t)
    const decided = step(state, event)
    const effects = decided.effects.flatMap((effect): Effect[] => {
      if (effect.type !== 'publish' || effect.message.kind !== 'ack') return [effect]
      const { message } = effect
      const bodies = change(message.body, state, types.get(message.body.id))
      return bodies.map((body) => ({ ...effect, message: { ...message, body } }))
    })
    return { ...decided, effects }
  }
}

function isCommand<T extends CommandType>(
  event: DeviceEvent,
  t: T,
): event is Extract<DeviceEvent, { type: 'command' }> & { command: Extract<AnyCommand, { t: T }> } {
  return event.type === 'command' && event.command.t === t
}
