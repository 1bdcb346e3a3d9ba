import type { IPublishPacket } from 'mqtt-packet'
import { resendAcks } from '../../../../simulator/speaker/device/acks.ts'
import { step } from '../../../../simulator/speaker/device/device.ts'
import type { Effect } from '../../../../simulator/speaker/device/state/effects.ts'
import { always, opensWith, resealing } from '../support/bends.ts'
import { bentLine } from '../support/line.ts'
import { before, type Decide, does, hears } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

const TELEMETRY: Effect = { type: 'publish', message: { kind: 'telemetry', body: { battery: 80 } } }

/** Mistakes in how a session begins, goes on and ends: answers, integers, telemetry, acks, and what stays on the screen. */
export const IN_ITS_SESSIONS: readonly Mutant[] = [
  // The profile says what the device lacks, and the device does not know it.
  {
    name: 'speaks without a speaker',
    only: ['ack/no-speaker'],
    profile: { caps: ['screen', 'qr'] },
    mutation: () => ({}),
    fails: [],
    warns: ['ack/no-speaker'],
  },
  {
    name: 'shows a QR on a screen without QRs',
    only: ['ack/no-qr'],
    profile: { caps: ['screen', 'speaker'] },
    mutation: () => ({}),
    fails: [],
    warns: ['ack/no-qr'],
  },
  {
    name: 'speaks a language without its clips',
    only: ['ack/no-english', 'ack/no-vietnamese'],
    profile: { lang: ['vi'] },
    mutation: () => ({}),
    fails: ['ack/no-english'],
  },
  {
    name: 'speaks the other language without its clips',
    only: ['ack/no-english', 'ack/no-vietnamese'],
    profile: { lang: ['en'] },
    mutation: () => ({}),
    fails: ['ack/no-vietnamese'],
  },
  {
    name: 'sends telemetry once in a session',
    only: ['connection/telemetry-again'],
    mutation: () => ({
      step: does((effects, event) =>
        event.type === 'tick'
          ? effects.filter((effect) => effect.type !== 'publish' || effect.message.kind !== 'telemetry')
          : effects,
      ),
    }),
    fails: [],
    warns: ['connection/telemetry-again'],
  },
  {
    name: 'reads 42.0 as 42',
    mutation: () => ({ line: resealing((frame, sids) => opensWith(frame, sids.at(-1) ?? '')) }),
    fails: ['envelope/fraction-in-envelope', 'envelope/exponent-in-body'],
  },
  {
    name: 'sends telemetry at every command',
    mutation: () => ({
      step: does((effects, { type }) => (type === 'command' ? [...effects, TELEMETRY] : effects)),
    }),
    fails: ['connection/telemetry-rate'],
  },
  {
    name: 'sends telemetry every seven seconds',
    mutation: () => ({ step: sendsTelemetryEvery(7_000) }),
    fails: ['connection/telemetry-rate'],
  },
  {
    name: 'sends its acks again while they have no PUBACK',
    mutation: () => ({ line: repeatsAcks() }),
    only: ['held/never-confirmed'],
    fails: [],
    warns: ['held/never-confirmed'],
  },
  {
    name: 'takes a SUBACK with QoS 0 for a subscription',
    mutation: () => ({
      line: always({
        down: (packet) => [
          packet.cmd === 'suback' && packet.granted[0] === 0 ? { ...packet, granted: [1] } : packet,
        ],
      }),
    }),
    fails: ['reconnection/suback-refused'],
  },
  {
    name: 'waits for a PINGRESP without end',
    mutation: () => ({
      line: always({
        up: (packet, { toDevice }) => {
          if (packet.cmd === 'pingreq') toDevice({ cmd: 'pingresp' })
          return [packet]
        },
        down: (packet) => (packet.cmd === 'pingresp' ? [] : [packet]),
      }),
    }),
    only: ['reconnection/without-pingresp'],
    fails: ['reconnection/without-pingresp'],
  },
  {
    name: 'takes a refused protocol level for a busy hub',
    mutation: () => ({
      line: always({
        down: (packet) => [
          packet.cmd === 'connack' && packet.returnCode === 1 ? { ...packet, returnCode: 3 } : packet,
        ],
      }),
    }),
    only: ['reconnection/refused-version'],
    fails: ['reconnection/refused-version'],
  },
  {
    name: 'sends no telemetry',
    mutation: () => ({
      step: does((effects) =>
        effects.filter((effect) => effect.type !== 'publish' || effect.message.kind !== 'telemetry'),
      ),
    }),
    fails: [],
    warns: ['connection/telemetry-first'],
  },
  {
    name: 'never gives up waiting for its CONNACK',
    mutation: () => ({ line: (dial) => bentLine(dial, () => ({ connections: 2 })) }),
    only: ['reconnection/without-connack'],
    fails: ['reconnection/without-connack'],
  },
  {
    name: 'never gives up waiting for its SUBACK',
    mutation: () => ({ line: (dial) => bentLine(dial, () => ({ connections: 2 })) }),
    only: ['reconnection/without-suback'],
    fails: ['reconnection/without-suback'],
  },
  {
    name: 'takes a refused CONNECT for a busy hub',
    mutation: () => ({
      line: always({
        down: (packet) => [
          packet.cmd === 'connack' && packet.returnCode === 2 ? { ...packet, returnCode: 3 } : packet,
        ],
      }),
    }),
    fails: ['reconnection/refused-connect'],
  },
  {
    name: 'beeps at volume 0',
    mutation: () => ({
      step: before('identify', ({ memory }) => ({
        memory: { ...memory, settings: { ...memory.settings, volume: 60 } },
      })),
    }),
    fails: ['ack/identify-muted'],
  },
  {
    name: 'sends the acks of its last session with its birth',
    mutation: () => ({ step: resendsAcks('opened') }),
    fails: ['ack/none-before-welcome', 'power/not-sent-again'],
  },
  {
    name: 'sends its acks again at every welcome',
    mutation: () => ({ step: resendsAcks('welcome') }),
    fails: [],
    warns: ['ack/not-again-in-session'],
  },
  {
    name: 'adds up the sums of missed payments',
    mutation: () => ({
      step: hears('missed', ({ d }, { missed }) => ({ d: { ...d, count: d.count + (missed?.count ?? 0) } })),
    }),
    fails: [
      'held/missed-stays',
      'screen/missed-replaced',
      'screen/missed-after-qr',
      'screen/missed-comes-back',
    ],
  },
  {
    name: 'forgets missed payments that come while it shows a QR',
    mutation: () => ({
      step: (state, event) => {
        const decided = step(state, event)
        if (event.type !== 'command' || event.command.t !== 'missed' || !state.qr) return decided
        return { ...decided, state: { ...decided.state, missed: undefined } }
      },
    }),
    fails: ['screen/missed-after-qr', 'screen/expired-go', 'screen/unlinked-frees-screen'],
    warns: ['screen/missed-unseen'],
  },
  {
    name: 'comes back at once, every time',
    mutation: () => ({ random: () => 0 }),
    // Not after a refused subscription: on a clock that waits for nobody it would come back for ever.
    only: ['reconnection/no-storm', 'reconnection/hub-unavailable', 'reconnection/hung-up'],
    fails: ['reconnection/no-storm', 'reconnection/hub-unavailable', 'reconnection/hung-up'],
    likely: { 'reconnection/no-storm': /comes back too often: double the wait/ },
  },
  {
    name: 'leaves without a word',
    mutation: () => ({ leavesRudely: true }),
    fails: ['session/goodbye'],
  },
]

/** With each other message it sends its last ack again, until that has its PUBACK. */
function repeatsAcks() {
  let last: IPublishPacket | undefined
  return always({
    up: (packet) => {
      if (packet.cmd === 'connect') last = undefined
      if (packet.cmd !== 'publish') return [packet]
      if (!packet.topic.endsWith('/ack')) return last ? [packet, last] : [packet]
      last = packet
      return [packet]
    },
    down: (packet) => {
      if (packet.cmd === 'puback' && packet.messageId === last?.messageId) last = undefined
      return [packet]
    },
  })
}

function sendsTelemetryEvery(ms: number): Decide {
  return (state, event) => {
    const next = step(state, event)
    const { link } = next.state
    if (link.phase !== 'welcomed') return next
    const telemetryAtMs = Math.min(link.telemetryAtMs, event.nowMs + ms)
    return { ...next, state: { ...next.state, link: { ...link, telemetryAtMs } } }
  }
}

/** Sends all acks without a PUBACK after its birth, or after a later welcome of the session. */
function resendsAcks(when: 'opened' | 'welcome'): Decide {
  return (state, event) => {
    const decided = step(state, event)
    const isBorn = when === 'opened' && event.type === 'opened'
    const isWelcomedAgain =
      when === 'welcome' &&
      event.type === 'command' &&
      event.command.t === 'welcome' &&
      state.link.phase === 'welcomed'
    if (!isBorn && !isWelcomedAgain) return decided
    return { ...decided, effects: [...decided.effects, ...resendAcks(state).effects] }
  }
}
