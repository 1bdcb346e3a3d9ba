import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startHubDouble } from '../../simulator/support/hub-double.ts'
import { temporaryFolder, withFile } from '../../support/folder.ts'
import { until } from '../../support/wait.ts'
import { buildCDevice, type CDevice, missingForC } from './c/build.ts'
import { type FrontDoor, isSynUnanswered, makeCertificate, openFrontDoor } from './c/front-door.ts'
import { type CProcess, switchOnC } from './c/shop.ts'

const DEVICE = { serial: 'SHOP-0042', key: Buffer.alloc(32, 5).toString('base64url') }
const SENTENCE = { amount: '50000', currency: 'VND', lang: 'vi', clips: 'da-nhan 5 muoi nghin dong' } as const
const SENTENCES = 4
const CLIP_MS = 300

/** A name lookup that lasts until the process ends. */
const NO_NAMES = `
#include <netdb.h>
#include <unistd.h>
int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found)
{
  static const char event[] = "{\\"event\\":\\"lookup\\"}\\n";
  (void)host, (void)port, (void)hints, (void)found;
  while (write(1, event, sizeof event - 1) > 0) pause();
  return EAI_FAIL;
}`

describe.skipIf(missingForC() !== undefined)('the device in C while it connects', () => {
  let c: CDevice
  const onEnd = withFile()
  beforeAll(() => {
    c = buildCDevice(temporaryFolder(onEnd))
  })

  /** Switches a device on at a hub behind a door. It gets four payments and a code, and starts to speak. */
  async function busySpeaker(tls?: ReturnType<typeof makeCertificate>) {
    const hub = await startHubDouble({ serial: DEVICE.serial, key: Buffer.alloc(32, 5) })
    onTestFinished(() => hub.close())
    const door = await openFrontDoor(hub.url, tls)
    const url = `${tls ? 'mqtts' : 'mqtt'}://127.0.0.1:${door.port}`
    const more = tls ? ['--cafile', tls.certFile] : []
    const speaker = switchOnC(c.device, DEVICE, { url, state: temporaryFolder(), clipMs: CLIP_MS, more })
    await speaker.next('connected')
    await hub.send('code', { code: '048213', exp: Math.floor(Date.now() / 1000) + 2 })
    for (let sent = 0; sent < SENTENCES; sent += 1) await hub.send('announce', SENTENCE)
    await until(
      'the acks',
      () => hub.heard.filter(({ body }) => body.st === 'received').length === SENTENCES + 2,
    )
    await speaker.next('announce')
    return { speaker, door }
  }

  /** It speaks all payments and removes the code, although its attempt to connect has not ended. */
  async function untilSpoken(speaker: CProcess) {
    expect(speaker.all('played').length).toBeLessThan(SENTENCES)
    await speaker.next('played', SENTENCES)
    expect(await speaker.next('cleared')).toMatchObject({ what: 'code', why: 'expired' })
    expect(speaker.all('announce')).toHaveLength(SENTENCES)
    expect(speaker.all('offline')).toEqual([])
  }

  it('speaks on and removes an expired code while no SYN is answered', async () => {
    const { speaker, door } = await busySpeaker()
    await door.dropSyns()
    await until('a SYN without an answer', () => isSynUnanswered(door.port))
    await untilSpoken(speaker)
    expect(isSynUnanswered(door.port)).toBe(true)
  })

  it.each<[string, (door: FrontDoor) => void, boolean]>([
    ['the CONNECT', (door) => door.fallSilent(), false],
    ['the TLS handshake', (door) => door.fallSilent(), true],
  ])('speaks on and removes an expired code while nobody answers %s', async (_what, fail, hasTls) => {
    const { speaker, door } = await busySpeaker(hasTls ? makeCertificate() : undefined)
    fail(door)
    await speaker.next('disconnected')
    await untilSpoken(speaker)
  })

  it.each([
    ['CONNACK', {}],
    ['welcome', { welcome: false as const }],
  ])('sb/1 1.8: ends an attempt when %s does not come in time', async (answer, changes) => {
    const hub = await startHubDouble({ serial: DEVICE.serial, key: Buffer.alloc(32, 5), ...changes })
    onTestFinished(() => hub.close())
    const door = await openFrontDoor(hub.url)
    if (answer === 'CONNACK') door.fallSilent()
    const place = {
      url: `mqtt://127.0.0.1:${door.port}`,
      state: temporaryFolder(),
      more: ['--answer-ms', '300'],
    }
    const speaker = switchOnC(c.device, DEVICE, place)
    expect(await speaker.next('offline')).toMatchObject({ reason: `no ${answer} in time` })
  })

  it('can be switched off while the name of the hub is looked up: the loop does not wait for it', async () => {
    const folder = temporaryFolder()
    writeFileSync(`${folder}/resolver.c`, NO_NAMES)
    const made = spawnSync('cc', ['-c', '-o', `${folder}/resolver.o`, `${folder}/resolver.c`])
    expect(made.status).toBe(0)
    const { device } = buildCDevice(folder, [`LDFLAGS=${folder}/resolver.o`])
    const speaker = switchOnC(device, DEVICE, { url: 'mqtt://hub.invalid:1883', state: temporaryFolder() })
    await speaker.next('lookup')
    expect(await speaker.kill('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    expect(speaker.all('offline')).toEqual([])
  })
})
