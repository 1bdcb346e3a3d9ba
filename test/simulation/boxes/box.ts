import type { Clock } from '../../../server/platform/clock.ts'
import type { BoxEffect } from '../../../simulator/boxes/core/effects.ts'
import { type BoxFault, withBoxFault } from '../../../simulator/boxes/core/faults.ts'
import type { BoxLine as BoxEvent } from '../../../simulator/boxes/core/lines.ts'
import { type BoxState, bootedBox, type BoxEvent as Input } from '../../../simulator/boxes/core/state.ts'
import { boxDueAtMs, stepBox } from '../../../simulator/boxes/core/step.ts'
import { refusedDelayMs, retryDelayMs } from '../../../simulator/speaker/connection/backoff.ts'
import type { Hub } from '../hub/hub.ts'
import type { Departure } from '../hub/socket.ts'
import type { Dice } from '../kit/dice.ts'
import { BEGINNING } from '../kit/timeline.ts'
import type { Weather } from '../speaker/weather.ts'
import { type BoxLine, openBoxLine } from './line.ts'
import type { BoxEndWatch } from './oracle/ends.ts'
import type { BoxMessage } from './socket.ts'
import { firmwareOf, type MintedBox } from './town-boxes.ts'

/** What somebody beside the box would write down. */
export interface BoxWitness {
  /** A connection begins at a hub. */
  connects(serial: string, hub: Hub): BoxEndWatch
  /** A message has come. `playing`: what it says in that moment. */
  got(serial: string, message: BoxMessage, left: Departure, playing: BoxState['playing']): void
  happened(serial: string, event: BoxEvent): void
  /** What was in its RAM is lost. */
  powerLost(serial: string): void
}

export interface BoxDeps {
  minted: MintedBox
  /** It subscribes to this in place of its own topic. */
  topic: string | undefined
  hub: (serial: string) => Hub | undefined
  clock: Clock
  dice: Dice
  weather: Weather
  witness: BoxWitness
}

/** The simulator's box on a simulated line, with a switch, faults, and a plug that can be pulled. */
export interface SimulatedBox extends Pick<MintedBox, 'serial' | 'kind'> {
  switchOn(): void
  cutPower(): void
  /** A fault begins or ends. */
  setFault(fault: BoxFault, on: boolean): void
  press(keys: readonly string[]): void
  /** It is on and without a fault from now on, and its next attempt to connect is at once. */
  heal(): void
  line(): BoxLine | undefined
  state(): BoxState | undefined
  /** The six digits that it showed or said last. */
  code(): string
  /** Since when, by `elapsed`, it is subscribed on a line without a flaw and has no fault. */
  wellSince(): number | undefined
}

export function createBox(deps: BoxDeps): SimulatedBox {
  const { minted, clock, dice, witness } = deps
  const { serial, kind } = minted
  const config = { ...minted.config, ...(deps.topic === undefined ? {} : { topic: deps.topic }) }
  const firmware = firmwareOf(minted)
  let faults: readonly BoxFault[] = []
  let state: BoxState | undefined
  let line: BoxLine | undefined
  let failures = 0
  let subscribedAt: number | undefined
  let code = ''
  /** It has had a fault since its line was made: what that has spoilt may take a minute. */
  let isSpoilt = false
  let cancelTick = () => {}
  let cancelTimer = () => {}
  const nowMs = () => BEGINNING + clock.elapsed()

  function connect() {
    tell({ type: 'connecting' })
    const mine: BoxLine = openBoxLine({
      ...{ hub: deps.hub, clock, dice, weather: deps.weather, serial },
      login: firmware.login(config),
      watch: (hub) => witness.connects(serial, hub),
      listener: {
        connected: () => line === mine && void tell({ type: 'connected' }),
        subscribed() {
          if (line !== mine) return
          failures = 0
          subscribedAt = clock.elapsed()
          isSpoilt = faults.length > 0
          tell({ type: 'subscribed' })
        },
        message: (message, left) => line === mine && receive(message, left),
        ended: (why) => line === mine && ended(why),
      },
    })
    line = mine
  }

  function ended(why: 'lost' | 'refused') {
    line = undefined
    subscribedAt = undefined
    failures += 1
    const retryInMs =
      why === 'refused' ? refusedDelayMs(dice.fraction) : retryDelayMs(failures, dice.fraction)
    tell({ type: 'closed', reason: why, ...(why === 'refused' ? { code: 4 } : {}), retryInMs })
    if (state) cancelTimer = clock.after(retryInMs, connect)
  }

  function receive(message: BoxMessage, left: Departure): boolean {
    witness.got(serial, message, left, state?.playing)
    const { topic, payload } = message
    const effects = tell({ type: 'message', topic, payload: payload.toString(), bytes: payload.length })
    return !effects.some(({ type }) => type === 'withhold')
  }

  function tell(input: Input): readonly BoxEffect[] {
    if (!state) return []
    const next = stepBox(firmware, state, input, nowMs())
    state = next.state
    ;({ faults } = next.state)
    for (const effect of next.effects) perform(effect)
    planTick()
    return next.effects
  }

  function perform(effect: BoxEffect) {
    switch (effect.type) {
      case 'subscribe':
        return line?.subscribe(effect.topic, effect.qos)
      case 'publish':
        return line?.publish(effect.topic, effect.payload, effect.qos)
      case 'emit':
        if (effect.event.event === 'code') ({ code } = effect.event)
        return witness.happened(serial, effect.event)
      case 'die':
        self.cutPower()
        cancelTimer = clock.after(effect.forMs, self.switchOn)
        return
      case 'withhold':
    }
  }

  function planTick() {
    cancelTick()
    const dueMs = state && boxDueAtMs(state)
    if (dueMs !== undefined) cancelTick = clock.after(dueMs - nowMs(), () => void tell({ type: 'tick' }))
  }

  const self: SimulatedBox = {
    serial,
    kind,

    switchOn() {
      if (state) return
      cancelTimer()
      state = bootedBox(config, faults)
      failures = 0
      connect()
    },

    cutPower() {
      if (!state) return
      cancelTick()
      cancelTimer()
      line?.hangUp()
      line = undefined
      state = undefined
      subscribedAt = undefined
      witness.powerLost(serial)
    },

    setFault(fault, on) {
      if (faults.includes(fault) === on) return
      faults = withBoxFault(faults, fault, on)
      isSpoilt = true
      tell({ type: 'fault', fault, on })
    },

    press(keys) {
      for (const key of keys) tell({ type: 'key', key })
    },

    heal() {
      for (const fault of faults) self.setFault(fault, false)
      self.switchOn()
      if (line) return
      cancelTimer()
      connect()
    },

    line: () => line,
    state: () => state,
    code: () => code,
    wellSince: () =>
      line?.isFlawless() && !line.hub()?.isFrozen() && !isSpoilt && subscribedAt !== undefined
        ? Math.max(subscribedAt, line.disturbedAt())
        : undefined,
  }
  return self
}
