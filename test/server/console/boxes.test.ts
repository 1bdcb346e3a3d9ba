import { expect, it } from 'vitest'
import { startTestHub } from '../../support/hub.ts'
import { fillHub } from './filled.ts'
import { logIn } from './person.ts'

async function town() {
  const hub = await startTestHub()
  return { hub, ...(await fillHub(hub.storage)) }
}

const serialsOf = (text: string) =>
  [...text.matchAll(/href="\/devices\/([^"/]+)"/g)].map(([, serial]) => serial)

it('finds boxes by dialect and proof, and says which login is weak', async () => {
  const { hub, serial, boxSerial } = await town()
  const viewer = await logIn(hub, 'viewer')
  const look = async (query: string) => serialsOf((await viewer.get(`/devices?${query}`)).text)
  expect(await look('dialect=oneway')).toEqual([boxSerial])
  expect(await look('dialect=hemipay')).toEqual([])
  expect(await look('dialect=sb/1')).toContain(serial)
  expect(await look('proof=none')).toEqual([boxSerial])
  expect(await look('proof=accepted')).toEqual([])
  expect(await look('proof=played')).toContain(serial)
  expect(await look('proof=played')).not.toContain(boxSerial)
  for (const wrong of ['dialect=other', 'proof=all'])
    expect([wrong, (await viewer.get(`/devices?${wrong}`)).status]).toEqual([wrong, 400])
  const { text } = await viewer.get('/devices')
  expect(text).toContain('oneway <small>morefun</small>')
  expect(text).toContain('none <small><span class="bad">weak login</span></small>')
  const file = (await viewer.get('/devices?dialect=oneway&as=csv')).text
  expect(file).toMatch(/,dialect,proof\r\n[^\n]*,oneway,none\r\n/)
})

it('shows what a box can do, and offers and does nothing else', async () => {
  const { hub, boxSerial, serial } = await town()
  const admin = await logIn(hub, 'admin')
  const path = `/devices/${boxSerial}`
  const { text } = await admin.get(path)
  for (const said of [
    'weak: many boxes share its secret',
    'as a QR on its screen',
    '9.999.999',
    'This box can not beep',
  ])
    expect(text).toContain(said)
  for (const change of ['identify', 'settings']) {
    expect(text).not.toContain(`action="${path}/${change}"`)
    const refused = await admin.post(`${path}/${change}`, { volume: '1' })
    expect([change, refused.status]).toEqual([change, 409])
  }
  expect(text).toContain(`action="${path}/lock"`)
  expect(await hub.storage.audit.list({ action: 'device.identify', limit: 1 })).toEqual([])
  expect((await admin.get(`/devices/${serial}`)).text).toContain(`action="/devices/${serial}/identify"`)
  const vietnamese = (await (await logIn(hub, 'viewer', { lang: 'vi' })).get(path)).text
  expect(vietnamese).toContain('yếu: nhiều hộp dùng chung bí mật')
})

it('shows the proof of each announcement of a box, and which may have repeated', async () => {
  const { hub, boxSerial, texts } = await town()
  const viewer = await logIn(hub, 'viewer')
  const { text } = await viewer.get(`/devices/${boxSerial}`)
  const announced = [
    ...text.matchAll(/<li class="[^"]*">(?:(?!<\/li>).)*Announcement (\S+)(?:(?!<\/li>).)*/g),
  ]
  const repeated = announced.filter(([line]) => line.includes('may have repeated'))
  expect(repeated.map(([, amount]) => amount)).toEqual(['216.001'])
  expect(announced.filter(([line]) => line.includes('proof of the sound: nothing'))).toHaveLength(3)
  const { text: found } = await viewer.get(`/payments?from=7d&code=${texts.ftCode}1`)
  const payment = /href="(\/payments\/[0-9a-f-]{36})"/.exec(found)?.[1] ?? ''
  expect((await viewer.get(payment)).text).toContain('may have repeated')
})
