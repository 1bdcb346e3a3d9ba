import { sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { deriveKeys, passwordOf } from '../../../protocol/keys.ts'
import { downTopic, upTopic } from '../../../protocol/topics.ts'
import type { Published } from '../../../server/mqtt/link.ts'
import type { Connect } from '../../../server/mqtt/login.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import type { Hub } from '../hub/hub.ts'
import { KEEPALIVE_S, openSocket } from '../hub/socket.ts'
import type { Dice } from '../kit/dice.ts'
import type { GateWatch } from '../oracle/gate.ts'
import type { MintedSpeaker } from '../shop/town.ts'

export interface RogueDeps {
  hub: Hub
  clock: Clock
  dice: Dice
  watch: GateWatch
  speaker: MintedSpeaker
}

/** A second device with the keys of a speaker, whose firmware breaks the protocol. It takes the connection over. */
export async function misbehave(deps: RogueDeps) {
  const { dice, speaker } = deps
  const { serial } = speaker
  const sid = dice.hex(16)
  const { up } = deriveKeys(speaker.key)
  const socket = open(deps, sid)
  if ((await socket.connect()) !== 'admitted') return
  const frame = (kind: 'birth' | 'ack', body: object, key = up) =>
    sealFrame(key, upPrefix(serial, sid, kind), body)
  const birth = { t: 'birth', sid, fw: '1.0', model: 'rogue', caps: [], lang: ['vi'], rx: 512, played: 0 }
  const ack = { t: 'ack', id: '01JD3Z8Q6X9V5T7M2K4N8P0R1S', n: 1, st: 'received' }
  const packet = (topic: string, payload: Uint8Array, more: Partial<Published> = {}): Published => ({
    ...{ topic, payload, qos: 1, retain: false, messageId: 1 },
    ...more,
  })
  const breach = dice.pick([
    () => packet(upTopic(serial, 'birth'), frame('birth', birth)),
    () => packet(upTopic(serial, 'ack'), frame('ack', ack)),
    () => packet(upTopic(serial, 'ack'), frame('ack', ack, Buffer.alloc(32))),
    () => packet(upTopic(`${serial}0`, 'ack'), frame('ack', ack)),
    () => packet(upTopic(serial, 'birth'), frame('birth', birth), { retain: true }),
    () => packet(downTopic(serial), frame('ack', ack)),
  ])
  socket.breach(breach())
}

/** Two devices with the keys of one speaker connect in the same moment. One connection may stand. */
export async function connectTwice(deps: RogueDeps) {
  const twins = [deps.dice.hex(16), deps.dice.hex(16)].map((sid) => open(deps, sid))
  await Promise.all(twins.map((twin) => twin.connect()))
}

/** Somebody who knows a serial and not its key. The speaker's own connection must stand. */
export async function knock(deps: RogueDeps) {
  const { dice, watch, speaker } = deps
  const sid = dice.hex(16)
  const changes = dice.pick<Partial<Connect>>([
    { password: Buffer.from('A'.repeat(43)) },
    { password: undefined },
    { clean: false },
    { keepalive: 10 * KEEPALIVE_S },
    { will: undefined },
    { username: `${speaker.serial}0` },
  ])
  const answer = await open(deps, sid, { isImpostor: true }).connect(changes)
  if (answer === 'admitted') watch.admitsImpostor(speaker.serial)
}

function open({ hub, clock, watch, speaker }: RogueDeps, sid: string, more: { isImpostor?: boolean } = {}) {
  return openSocket({
    ...{ hub, clock, watch, willLateByMs: 0, ...more },
    hello: { serial: speaker.serial, sid, password: passwordOf(deriveKeys(speaker.key)) },
    far: { packet: () => undefined, closed: () => undefined },
  })
}
