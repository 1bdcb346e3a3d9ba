import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { builtCDevice, type CDevice, linkedCDevice, missingForC } from '../../protocol/c/build.ts'
import { startHubDouble } from '../../simulator/support/hub-double.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Certificate, makeCertificate } from '../../support/processes/certificate.ts'
import { until } from '../../support/wait.ts'
import { type FrontDoor, isSynUnanswered, openFrontDoor } from './c/front-door.ts'
import { type CProcess, switchOnC } from './c/shop.ts'

const DEVICE = { serial: 'SHOP-0042', key: Buffer.alloc(32, 5).toString('base64url') }
const SENTENCE = { amount: '50000', currency: 'VND', lang: 'vi', clips: 'da-nhan 5 muoi nghin dong' } as const
const SENTENCES = 4
const CLIP_MS = 300
const CODE_S = 2
/** The longest that the device waits for an answer of its hub. */
const LONGEST_ANSWER = ['--answer-ms', '60000']

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
  beforeAll(async () => {
    c = await builtCDevice()
  })

  /**
   * Switches a device on at a hub behind a door. It gets a code and four payments, and starts to speak; `slower`: both
   * last so many times as long as usual.
   */
  async function busySpeaker(slower: number, tls?: Certificate) {
    const hub = await startHubDouble({ serial: DEVICE.serial, key: Buffer.alloc(32, 5) })
    onTestFinished(() => hub.close())
    const door = await openFrontDoor(hub.url, tls)
    const url = `${tls ? 'mqtts' : 'mqtt'}://127.0.0.1:${door.port}`
    const more = [...LONGEST_ANSWER, ...(tls ? ['--cafile', tls.certFile] : [])]
    const clipMs = slower * CLIP_MS
    const speaker = switchOnC(c.device, DEVICE, { url, state: temporaryFolder(), clipMs, more })
    await speaker.next('connected')
    // A device that stood still refuses a code that has expired meanwhile.
    let isShown = false
    for (let seconds = slower * CODE_S; !isShown; seconds *= 2) {
      const id = await hub.send('code', { code: '048213', exp: Math.floor(Date.now() / 1000) + seconds })
      const { body } = await hub.until((heard) => heard.body.id === id && heard.body.st !== 'received')
      isShown = body.st === 'shown'
    }
    for (let sent = 0; sent < SENTENCES; sent += 1) {
      const id = await hub.send('announce', SENTENCE)
      await hub.until(({ body }) => body.id === id && body.st === 'received')
    }
    await speaker.next('announce')
    return { speaker, door }
  }

  /**
   * It speaks the rest of its payments and removes the code, although its attempt to connect has not ended. `shut`
   * resolves when no attempt can succeed any more. If all was over before, the machine stood still: everything gets more
   * time.
   */
  async function speaksOn(shut: (door: FrontDoor, speaker: CProcess) => Promise<void>, tls?: Certificate) {
    for (let slower = 1; ; slower *= 4) {
      const { speaker, door } = await busySpeaker(slower, tls)
      await shut(door, speaker)
      const before = speaker.events().length
      await speaker.next('played', SENTENCES)
      expect(await speaker.next('cleared')).toMatchObject({ what: 'code', why: 'expired' })
      expect(speaker.all('announce')).toHaveLength(SENTENCES)
      expect(speaker.all('offline')).toEqual([])
      const later = speaker.events().slice(before)
      const done = ['announce', 'played', 'cleared'].filter((what) =>
        later.some(({ event }) => event === what),
      )
      if (done.length === 3) return door
      await speaker.kill('SIGKILL')
    }
  }

  it('speaks on and removes an expired code while no SYN is answered', async () => {
    const { port } = await speaksOn(async (door) => {
      await door.dropSyns()
      await until('a SYN without an answer', () => isSynUnanswered(door.port))
    })
    expect(isSynUnanswered(port)).toBe(true)
  })

  it.each<[string, boolean]>([
    ['the CONNECT', false],
    ['the TLS handshake', true],
  ])('speaks on and removes an expired code while nobody answers %s', async (_what, hasTls) => {
    const shut = async (door: FrontDoor, speaker: CProcess) => {
      door.fallSilent()
      await speaker.next('disconnected')
    }
    await speaksOn(shut, hasTls ? makeCertificate() : undefined)
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
    // An earlier answer may be late, too: then a further attempt comes.
    await until(`no ${answer} in time`, () =>
      speaker.all('offline').some(({ reason }) => reason === `no ${answer} in time`),
    )
  })

  it('can be switched off while the name of the hub is looked up: the loop does not wait for it', async () => {
    const folder = temporaryFolder()
    writeFileSync(`${folder}/resolver.c`, NO_NAMES)
    const made = spawnSync('cc', ['-c', '-o', `${folder}/resolver.o`, `${folder}/resolver.c`])
    expect(made.status).toBe(0)
    const { device } = await linkedCDevice(temporaryFolder(), `${folder}/resolver.o`)
    const speaker = switchOnC(device, DEVICE, { url: 'mqtt://hub.invalid:1883', state: temporaryFolder() })
    await speaker.next('lookup')
    expect(await speaker.kill('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    expect(speaker.all('offline')).toEqual([])
  })
})
