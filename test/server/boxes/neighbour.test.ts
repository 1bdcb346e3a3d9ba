import { expect, it } from 'vitest'
import type { BoxKind } from '../../../simulator/boxes/kinds.ts'
import { openBoxWorld } from './world.ts'

/** Two boxes of two shops. One of them is hostile, with a login of its own. */
async function neighbours(kind: BoxKind) {
  const world = await openBoxWorld()
  const victim = await world.addBox(kind, { serial: 'BOX-victim' })
  const hostile = await world.addBox(kind, { serial: 'BOX-hostile' })
  for (const box of [victim, hostile]) await box.powerOn()
  await world.pass(5_000)
  const before = hostile.sent.length
  return { ...world, victim, hostile, before }
}

it.each(['hemipay', 'clip-numbers', 'alink', 'morefun'] as const)(
  '%s: a box that subscribes to everything, or to the topic of another one, hears nothing of it',
  async (kind) => {
    const { victim, hostile, pay, pass, trail } = await neighbours(kind)
    const topic = String(victim.sent.at(0)?.topic ?? 'none')
    for (const filter of ['#', '+/+', '/LLZN/+', '$SYS/#', topic, `speakers/${victim.serial}/cmd`])
      hostile.subscribe(filter)
    const said = hostile.sent.length
    const ftCode = await pay(victim.terminalID, '123000')
    await pass(30_000)
    expect(victim.heardAt.map(({ amount }) => amount)).toEqual(['123000'])
    expect(hostile.sent.slice(said).filter(({ payload }) => !payload.includes('rsp_heartbeat'))).toEqual([])
    // Its own payment comes on a topic that a message can have.
    await pay(hostile.terminalID, '7000')
    await pass(70_000)
    expect(hostile.heardAt.map(({ amount }) => amount)).toEqual(['7000'])
    for (const one of hostile.sent) expect(one.topic).toMatch(/^[^#+]+$/)
    expect((await trail(ftCode)).serial).toBe(victim.serial)
  },
)

it.each(['hemipay', 'clip-numbers', 'alink', 'morefun'] as const)(
  '%s: what a box publishes reaches no other box, and moves none of its announcements',
  async (kind) => {
    const { victim, hostile, pay, pass, trail, here } = await neighbours(kind)
    // The victim confirms nothing and answers nothing.
    victim.fault('no-puback', true)
    victim.fault('stray-reply', true)
    const ftCode = await pay(victim.terminalID, '123000')
    const sent = victim.sent.length
    const heard = victim.sent.map(({ payload }) => payload)
    const ids = heard.flatMap((text) =>
      [...text.matchAll(/"(?:message_id|id)":"(\w+)"/g)].map(([, id]) => id),
    )
    const spoken = heard.filter((text) => text.includes('123') || text.includes('voice'))
    const topics = [...new Set(victim.sent.map(({ topic }) => topic)), `${victim.serial}/pubmsg`, '#', 'x']
    for (const topic of topics) {
      for (const text of spoken) hostile.publish(topic, text)
      for (const id of ids) {
        const content = { response_status: 'success', play_status: 'play_end' }
        const rsp = { message_id: id, device_sn: victim.serial, packet_type: 'rsp_payment', content }
        hostile.publish(topic, JSON.stringify(rsp))
        hostile.publish(topic, JSON.stringify({ code: 200, data: { result: 0, task_id: id } }))
      }
      hostile.publish(topic, JSON.stringify({ device_sn: victim.serial, packet_type: 'shutdown' }))
    }
    // A PUBACK of any id confirms only what the hub has sent to this box.
    for (let messageId = 0; messageId < 100; messageId += 1) hostile.confirmAny(messageId)
    await pass(1_000)
    expect(victim.sent).toHaveLength(sent)
    expect((await trail(ftCode)).stage).toBe('sent')
    expect(here.delivery.isConnected(victim.serial)).toBe(true)
  },
)

it.each(['hemipay', 'clip-numbers', 'alink'] as const)(
  '%s: the hub takes ten thousand messages of a box without harm to another one',
  async (kind) => {
    const { victim, hostile, pay, pass, trail } = await neighbours(kind)
    for (let count = 0; count < 10_000; count += 1)
      hostile.publish(`${victim.serial}/pubmsg`, `{"packet_type":"heartbeat","message_id":"${count}"}`)
    const ftCode = await pay(victim.terminalID, '123000')
    await pass(70_000)
    expect(victim.heardAt).toHaveLength(1)
    expect((await trail(ftCode)).stage).toBe(kind === 'alink' ? 'played' : 'delivered')
  },
)

it('a box can not take the name of another one with its own password', async () => {
  const { victim, hostile, here } = await neighbours('hemipay')
  const { serial } = victim
  for (const [username, clientId] of [
    [serial, hostile.serial],
    [serial, serial],
    [undefined, serial],
  ]) {
    const packet = { username, clientId: String(clientId), clean: true, keepalive: 60 }
    const wire = {
      ...{ address: '127.0.0.1', write: () => true, whenDrained: () => undefined, expect: () => undefined },
      ...{ close: () => undefined, reset: () => undefined },
    }
    expect(await here.gate.connectBox({ ...packet, password: Buffer.from('other') }, wire)).toMatchObject({
      returnCode: 4,
    })
  }
  expect(victim.witnesses).toEqual([])
})
