import { expect, it } from 'vitest'
import { logIn } from '../../../server/console/person.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectPartner } from '../../../support/http/partner-client.ts'
import { shopWith } from '../../../support/mqtt/obedient-device.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { PATIENT } from '../../../support/processes/postgres.ts'
import { hubEnv, startHubProcess } from '../../../support/processes/process.ts'
import { minted } from '../../../support/processes/shop.ts'
import { eventually } from '../../../support/wait.ts'

const postgres = await startTestPostgres()

it.skipIf(!postgres)("changes a device that is connected to another hub than the console's", async () => {
  if (!postgres) return
  const url = await postgres.database()
  const envOn = () => hubEnv(temporaryFolder(), { HUB_DATABASE_URL: `${url}${PATIENT}` })
  const env = envOn()
  const { partner, device } = await minted(env)
  const [there, here] = await Promise.all([startHubProcess(env), startHubProcess(envOn())])
  const speaker = await shopWith(there, await connectPartner(() => there.http, partner), device)
  const storage = await postgres.open(url)
  const admin = await logIn({ admin: here.admin, storage }, 'admin')
  const path = `/devices/${device.serial}`
  const has = (type: string) => speaker.heard.some(({ t }) => t === type)

  expect((await admin.get('/devices?state=online')).text).toContain(`href="${path}"`)
  const asked = await admin.post(`${path}/identify`)
  await eventually(async () => {
    const { text } = await admin.get(asked.location ?? '')
    expect(text).toContain('The device has beeped and flashed.')
  })
  expect(has('identify')).toBe(true)

  await admin.change(`${path}/settings`, { volume: '20', lang: 'vi' })
  await speaker.next('settings')

  const screens = () => speaker.heard.filter(({ t }) => t === 'profile')
  const before = screens().length
  expect((await admin.change(`${path}/lock`)).text).toContain('The device is locked.')
  await eventually(async () => {
    const newest = screens().at(-1)
    expect([screens().length > before, JSON.stringify(newest)]).toEqual([
      true,
      expect.stringContaining('"locked":true'),
    ])
  })
  expect(speaker.closed).toBe(false)

  expect((await admin.change(`${path}/revoke`)).text).toContain('The device is revoked.')
  await eventually(async () => expect(speaker.closed).toBe(true))
  const rows = await storage.audit.list({ subject: device.serial, actor: 'admin Minh', limit: 9 })
  expect(rows.map(({ action, details: { via } }) => [action, via])).toEqual(
    ['device.revoke', 'device.lock', 'device.settings', 'device.identify'].map((action) => [
      action,
      'console',
    ]),
  )
  expect(await storage.settings.find(OPERATOR, device.serial)).toBeUndefined()
})
