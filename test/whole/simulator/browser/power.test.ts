import { describe, expect, it, onTestFinished } from 'vitest'
import { mintDevice } from '../../../../server/devices/mint-devices.ts'
import { sb1 } from '../../../../server/dialects/sb1/index.ts'
import { createPartner } from '../../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectPartner } from '../../../support/http/partner-client.ts'
import { findChromium, NO_BROWSER } from '../../../support/processes/browser.ts'
import { startOwnBrowser } from '../../../support/processes/own-browser.ts'
import { startOwnHub } from '../../../support/processes/own-hub.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import { until } from '../../../support/wait.ts'
import { linkOf, pay, registerPage, type SpeakerPage, untilPlayed, watchedPage } from './world.ts'

const chromium = findChromium()
if (chromium === undefined) process.stdout.write(`no speaker in a browser is killed: ${NO_BROWSER}\n`)

const KILLS = 10

/** A hub in a process of its own, with a partner and a device. */
async function ownHub() {
  const dataDir = temporaryFolder()
  const hub = await startOwnHub({ dataDir, masterKey: TEST_MASTER_KEY })
  onTestFinished(() => hub.stop())
  const ids = createRandomIds()
  const storage = openSqliteStorage(
    `${dataDir}/hub.db`,
    storageOptions({ vault: createVault(TEST_MASTER_KEY), ids }),
  )
  const deps = { clock: systemClock, ids }
  const credentials = await createPartner({ by: OPERATOR, partners: storage.partners, ...deps }, 'Acme')
  const device = await mintDevice(
    { by: OPERATOR, devices: storage.devices, loginHash: sb1.loginHash, ...deps },
    'SB-0001',
  )
  storage.close()
  if (!device) throw new Error('the serial is taken')
  return { hub, device, partner: await connectPartner(() => hub.http, credentials) }
}

/** Resolves when a page has begun so many sentences. */
async function spoken(speaker: SpeakerPage, count: number): Promise<void> {
  await until(`${count} sentences`, async () => (await speaker.spoken()).length >= count)
}

describe.skipIf(chromium === undefined)('a speaker in a browser', () => {
  it(`hears each payment once over ${KILLS} kill -9 of the hub, and one of the browser while it speaks`, async () => {
    const { hub, device, partner } = await ownHub()
    const profile = temporaryFolder()
    const first = await startOwnBrowser(chromium ?? '', profile)
    const speaker = await watchedPage(first.context)
    await speaker.page.goto(linkOf(hub.http, device))
    await speaker.switchOn()
    await registerPage(partner, speaker, device.serial)
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { length } = await speaker.spoken()
      const paid = pay(partner)
      // At another moment each time: before the 200, before the announcement, while it speaks.
      if (kill % 3 === 1) await paid
      if (kill % 3 === 2) await spoken(speaker, length + 1)
      await hub.killAndRestart()
      await untilPlayed(partner, await paid)
    }
    const numbers = await speaker.spoken()
    expect(numbers).toHaveLength(KILLS)
    expect(new Set(numbers).size).toBe(KILLS)

    const cut = await pay(partner)
    await spoken(speaker, KILLS + 1)
    const played = (await speaker.spoken()).at(-1) ?? 0
    expect(played).toBeGreaterThan(Math.max(...numbers))
    await first.kill()

    const second = await startOwnBrowser(chromium ?? '', profile)
    const again = await watchedPage(second.context)
    await again.page.goto(`${hub.http}/speaker`)
    await again.switchOn()
    expect((await again.data()).played).toBe(String(played))
    // Cut short, and never said again.
    await untilPlayed(partner, cut)
    await untilPlayed(partner, await pay(partner))
    const after = await again.spoken()
    expect(after).toHaveLength(1)
    expect(after[0]).toBeGreaterThan(played)
    expect([...speaker.complaints, ...again.complaints]).toEqual([])
  })

  it('opens without network, says so, and speaks when the hub is back', async () => {
    const { hub, device, partner } = await ownHub()
    const { context } = await startOwnBrowser(chromium ?? '', temporaryFolder())
    const speaker = await watchedPage(context)
    const { page } = speaker
    await page.goto(linkOf(hub.http, device))
    await speaker.switchOn()
    await registerPage(partner, speaker, device.serial)
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
    await hub.kill()
    await page.reload()
    await speaker.shows('serial', device.serial)
    await speaker.touch()
    await speaker.shows('screen', 'no_network')
    // What the hub answered in the API is nowhere.
    const kept = await page.evaluate(
      'caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((cache) => cache.keys())))).then((lists) => lists.flat().map(({ url }) => new URL(url).pathname))',
    )
    expect(kept).toEqual(expect.arrayContaining(['/speaker', '/speaker/speaker.js', '/speaker/clips.json']))
    for (const path of kept as string[]) expect(path).toMatch(/^\/speaker(\/[^/]+)?$/)
    await hub.start()
    const tryNow = page.getByRole('button', { name: 'Thử ngay' })
    // The button is gone when the speaker's own next attempt comes first.
    await until('a welcome', async () => {
      if ((await speaker.data()).link === 'welcomed') return true
      await tryNow.click({ timeout: 1_000 }).catch(() => {})
      return false
    })
    await untilPlayed(partner, await pay(partner))
    expect(speaker.complaints).toEqual([])
  })
})
