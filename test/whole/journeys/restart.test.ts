import { expect, it } from 'vitest'
import { fixedPorts } from '../../../simulator/run/hub/hub-process.ts'
import { signedCallback } from '../../support/callback.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { connectPartner, registerOver } from '../../support/http/partner-client.ts'
import { switchOn } from '../../support/mqtt/speaker.ts'
import { hubEnv, startHubProcess } from '../../support/processes/process.ts'
import { minted } from '../../support/processes/shop.ts'
import { until } from '../../support/wait.ts'

/** A shop on a hub in a process of its own, which can be killed without a word and started again. */
async function shop(msPerClip: number) {
  const env = hubEnv(temporaryFolder(), await fixedPorts())
  let hub = await startHubProcess(env)
  const { partner: credentials, device } = await minted(env)
  const partner = await connectPartner(() => hub.http, credentials)
  const speaker = switchOn(device, hub.mqtt, msPerClip)
  await speaker.next('connected')
  await registerOver(partner, device.serial, speaker.code)
  return {
    speaker,
    async pay() {
      const body = signedCallback(partner.clientSecret)
      expect((await partner.call('POST', '/payment/callback', body)).status).toBe(200)
    },
    async kill() {
      hub.child.kill('SIGKILL')
      await hub.ended
    },
    async startAgain() {
      hub = await startHubProcess(env)
    },
    async untilPlayed() {
      await until('the receipt', async () => {
        const { body } = await partner.call('GET', '/payment/transactions/FT0001')
        return Object(body).announcements[0].stage === 'played'
      })
    },
  }
}

it('a payment whose hub is killed before its speaker has heard of it is heard once', async () => {
  const { speaker, pay, kill, startAgain, untilPlayed } = await shop(20)
  await speaker.speaker.cutNetwork()
  await pay()
  await kill()
  await startAgain()
  speaker.speaker.start()
  await untilPlayed()
  expect(speaker.all('announce')).toHaveLength(1)
})

it('a payment whose hub is killed while the speaker speaks is heard once, and its receipt arrives', async () => {
  const { speaker, pay, kill, startAgain, untilPlayed } = await shop(100)
  await pay()
  await speaker.next('announce')
  await kill()
  await speaker.next('played')
  await startAgain()
  await untilPlayed()
  expect(speaker.all('announce')).toHaveLength(1)
})
