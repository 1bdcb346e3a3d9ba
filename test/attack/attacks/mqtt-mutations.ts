import { randomBytes } from 'node:crypto'
import mqttPacket from 'mqtt-packet'
import { downTopic, upTopic } from '../../../protocol/topics.ts'
import { connectOf, openDevice } from '../gang/device.ts'
import { type Attack, anyAddress, halfFromOne, nextBytes, type Round } from '../gang/round.ts'
import type { Target } from '../gang/target.ts'

const STRANGERS = 40
const GAP_MS = 50
/** How long a stranger waits for the hub's answer. */
const HELD_MS = 500
const HUGE_BYTES = 1024 * 1024
const AGAIN_MS = 200

export const mqttMutations: Attack = async (target, round) => {
  await Promise.all([
    round.crowd(STRANGERS, GAP_MS, async (member) => {
      const socket = round.connect(target.mqtt, halfFromOne(member, STRANGERS))
      const makers = [takeover, garbage, mutated, mutated, huge]
      const make = makers[Math.floor(round.random() * makers.length)] ?? garbage
      socket.write(make(target, round))
      const answer = await Promise.race([nextBytes(socket), round.pause(HELD_MS)])
      // A CONNACK with a code above 0 refuses.
      round.count(answer === undefined ? 'no answer' : `CONNACK ${answer[3]}`)
      socket.destroy()
    }),
    round.crowd(target.neighbour.devices.length, AGAIN_MS, (member) => breakRules(target, round, member)),
  ])
}

/** A CONNECT in the victim's name. */
function takeover({ victim }: Target, round: Round): Buffer {
  return mqttPacket.generate(connectOf(victim.serial, String(round.random())))
}

function garbage(_: Target, { random }: Round): Buffer {
  return randomBytes(1 + Math.floor(random() * 1_500))
}

/** A CONNECT, SUBSCRIBE and PUBLISH with flipped bytes, cut short or followed by more. */
function mutated(target: Target, { random }: Round): Buffer {
  const { serial } = target.victim
  const bytes = Buffer.concat([
    takeoverOf(serial),
    mqttPacket.generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] }),
    publishOf(upTopic(serial, 'birth'), randomBytes(100)),
  ])
  for (let flips = Math.floor(random() * 8); flips >= 0; flips -= 1)
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
  return random() < 0.5 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes
}

/** A CONNECT that announces a megabyte and sends it. */
function huge(): Buffer {
  return Buffer.concat([Buffer.from([0x10, 0x80, 0x80, 0x40]), Buffer.alloc(HUGE_BYTES)])
}

function takeoverOf(serial: string): Buffer {
  return mqttPacket.generate(connectOf(serial, 'x'.repeat(43)))
}

function publishOf(topic: string, payload: Buffer): Buffer {
  return mqttPacket.generate({
    ...{ cmd: 'publish', topic, payload, qos: 1, messageId: 9, dup: false, retain: false },
  })
}

/** A device with a good key does one thing that it may not do. */
async function breakRules({ mqtt, neighbour, victim }: Target, round: Round, member: number) {
  const one = neighbour.devices[member]
  const device = one && (await openDevice(round, mqtt, one, anyAddress(member)))
  if (!device) return
  const breaches = [
    () => device.publish(upTopic(victim.serial, 'ack'), randomBytes(100)),
    () => device.publish(downTopic(victim.serial), randomBytes(100)),
    () => device.publish(upTopic(one.serial, 'ack'), Buffer.from(`{"t":"ack","mac":"${'A'.repeat(22)}"}`)),
    () => device.write(publishOf(upTopic(one.serial, 'ack'), Buffer.alloc(HUGE_BYTES))),
    () =>
      device.write(
        mqttPacket.generate({
          ...{ cmd: 'subscribe', messageId: 2, subscriptions: [{ topic: downTopic(victim.serial), qos: 1 }] },
        }),
      ),
  ]
  breaches[Math.floor(round.random() * breaches.length)]?.()
  round.count('breaches')
  await Promise.race([device.closed, round.pause(HELD_MS)])
  device.close()
}
