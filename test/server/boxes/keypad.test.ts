import { expect, it } from 'vitest'
import { byPartner } from '../../../server/security/actor.ts'
import { openBoxWorld } from './world.ts'

/** A Y68B with a keypad, ready, with what it has shown. */
async function keypad() {
  const world = await openBoxWorld()
  const box = await world.addBox('hemipay')
  await box.powerOn()
  await world.pass(5_000)
  const key = async (amount: string) => {
    box.press(...amount, 'enter')
    await world.pass(1_000)
  }
  const last = () => box.linesOf('qr').at(-1)
  return { ...world, box, key, last }
}

it('an amount is answered at once; a box with one shop shows a bill of the hub, and its payment closes the QR', async () => {
  const { box, key, last, pay, trail, pass, events } = await keypad()
  await key('25000')
  expect(box.linesOf('answered')).toEqual([{ event: 'answered', id: expect.any(String), ok: true }])
  expect(last()).toMatchObject({ amount: '25000', bill: expect.stringMatching(/^K[0-9A-Z]{24}$/) })
  const { bill = '' } = last() ?? {}
  const ftCode = await pay(box.terminalID, '25000', { billNumber: bill })
  await pass(20_000)
  expect(box.linesOf('cleared')).toEqual([{ event: 'cleared', what: 'qr', why: 'paid' }])
  expect(box.heardAt.map(({ amount }) => amount)).toEqual(['25000'])
  expect(await trail(ftCode)).toMatchObject({ stage: 'delivered', proof: 'accepted' })
  expect((await events()).map(({ type }) => type)).not.toContain('amount.keyed')
})

it('a box with several shops asks the partner, once for each request', async () => {
  const { box, key, last, register, storage, clientId, shop, pass, events, here, clock } = await keypad()
  const second = await register(box.serial, 'T-second')
  await key('25000')
  expect(box.linesOf('answered')).toHaveLength(1)
  expect(last()).toBeUndefined()
  const message = { message_id: 'again', packet_type: 'request_payment', content: { amount_due: 70_000 } }
  for (let repeat = 0; repeat < 3; repeat += 1) {
    box.publish(`${box.serial}/pubmsg`, JSON.stringify(message))
    await pass(2_000)
  }
  const keyed = (await events()).filter(({ type }) => type === 'amount.keyed')
  expect(keyed.map(({ data }) => data)).toEqual([
    expect.objectContaining({ deviceSerial: box.serial, transactionAmount: '25000' }),
    expect.objectContaining({ deviceSerial: box.serial, transactionAmount: '70000' }),
  ])
  // The partner's dynamic QR is shown.
  const bill = { amount: '25000', billNumber: 'HD-1', shownUntil: clock.now() + 60_000 }
  await storage.bills.put(clientId, shop.bill(second, bill), clock.now())
  here.delivery.refresh(box.deviceId)
  await pass(1_000)
  expect(last()).toMatchObject({ amount: '25000', bill: 'HD-1' })
})

it('takes one amount a second from a box at most: no more get an answer, a bill or an event', async () => {
  const { box, pass, events, register } = await keypad()
  await register(box.serial, 'T-second')
  const send = (id: number) => {
    const message = {
      message_id: `${id}`,
      packet_type: 'request_payment',
      content: { amount_due: 1_000 + id },
    }
    box.publish(`${box.serial}/pubmsg`, JSON.stringify(message))
  }
  const answers = () => box.sent.filter(({ payload }) => payload.includes('rsp_request_payment')).length
  for (let id = 1; id <= 20; id += 1) send(id)
  await pass(999)
  expect(answers()).toBe(1)
  await pass(1)
  send(21)
  await pass(1_000)
  expect(answers()).toBe(2)
  const keyed = (await events()).filter(({ type }) => type === 'amount.keyed')
  expect(keyed.map(({ data }) => data.transactionAmount)).toEqual(['1001', '1021'])
  // The box has not lost its connection for it.
  expect(box.witnesses).toEqual([])
})

it('an amount at a box that is locked, or has no shop, makes nothing', async () => {
  const { box, key, last, storage, clientId, clock, addBox, pass, events } = await keypad()
  await storage.devices.setActive(byPartner(clientId), box.serial, false, clock.now())
  await key('25000')
  const free = await addBox('hemipay', { serial: 'BOX-free', registered: false })
  await free.powerOn()
  await pass(5_000)
  free.press('7', '000', 'enter')
  await pass(5_000)
  expect([last(), free.linesOf('qr')]).toEqual([undefined, []])
  expect((await events()).map(({ type }) => type)).not.toContain('amount.keyed')
})
