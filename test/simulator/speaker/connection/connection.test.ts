import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { sealFrame } from '../../../../protocol/frame.ts'
import { MemoryError, volatileMemory } from '../../../../simulator/speaker/memory/memory.ts'
import type { SpeakerOptions } from '../../../../simulator/speaker/speaker-options.ts'
import { announcementOf } from '../../support/announcement.ts'
import { KEY, SERIAL, speakerAt, speakerAtDouble, welcomedSpeaker } from '../../support/speaker-at-double.ts'
import type { Watch } from '../../support/watch.ts'
import { WoundClock } from '../../support/wound-clock.ts'

const ANNOUNCE = announcementOf('50000')

describe('a speaker on a real broker', () => {
  it('announces a payment and acks received, then played, each with a MAC', async () => {
    const { hub, watch } = await welcomedSpeaker()
    const id = await hub.send('announce', ANNOUNCE)
    await hub.until((heard) => heard.body.id === id && heard.body.st === 'played')
    const acks = hub.heard.filter((heard) => heard.body.id === id)
    expect(acks.map(({ kind, qos, verified, body }) => [kind, qos, verified, body.st])).toEqual([
      ['ack', 1, true, 'received'],
      ['ack', 1, true, 'played'],
    ])
    expect(watch.events).toContainEqual({
      event: 'announce',
      n: 2,
      amount: '50000',
      currency: 'VND',
      text: 'Đã nhận năm mươi nghìn đồng',
      lang: 'vi',
      clips: ANNOUNCE.clips,
    })
  })

  it('without power is dark and silent at once, drops its session, and restarts with its memory', async () => {
    const { hub, speaker, watch } = await welcomedSpeaker()
    await hub.send('announce', ANNOUNCE)
    await watch.next('announce')
    await speaker.powerOff()
    expect(watch.events.at(-1)).toEqual({ event: 'power', on: false })
    expect(speaker.snapshot()).toMatchObject({ power: false, display: { screen: 'off' }, link: 'offline' })
    speaker.start()
    expect(speaker.snapshot().display).toEqual({ screen: 'off' })
    speaker.powerOn()
    await watch.next('connected')
    expect(speaker.snapshot()).toMatchObject({ power: true, played: 2, sounding: undefined })
    expect(hub.heard.filter(({ kind }) => kind === 'birth').at(-1)).toMatchObject({ body: { played: 2 } })
  })

  it('sb/1 5.3: drops frames without the MAC of this session', async () => {
    const { hub, watch } = await welcomedSpeaker()
    const body = { t: 'announce', id: '01JD3Z8Q6X9V5T7M2K4N8P0R1S', n: 9, at: 0, ttl: 0, d: ANNOUNCE }
    await hub.sendRaw(sealFrame(KEY, `sb1|down|${SERIAL}|0000000000000000|`, body))
    expect(await watch.next('ignored')).toEqual({ event: 'ignored', reason: 'bad_mac' })
    await hub.sendRaw(Buffer.from(JSON.stringify(body)))
    expect(await watch.next('ignored')).toEqual({ event: 'ignored', reason: 'no_mac' })
  })

  it('sb/1 3.2: sends bye before a clean disconnect, and the will is not sent', async () => {
    const { hub, speaker, watch } = await welcomedSpeaker({ newSid: () => '00000000000000ab' })
    await speaker.stop()
    await hub.until(({ kind }) => kind === 'will')
    const wills = hub.heard.filter((heard) => heard.kind === 'will')
    expect(wills).toMatchObject([{ qos: 1, body: { sid: '00000000000000ab', reason: 'bye' } }])
    expect(await watch.next('disconnected')).toEqual({ event: 'disconnected', reason: 'switched off' })
    const notes = watch.items.flatMap((item) => (item.kind === 'packet' ? [item.note] : []))
    expect(notes.findLast(({ packet }) => packet === 'publish')?.message).toMatchObject({
      topic: 'will',
      frame: '{"sid":"00000000000000ab","reason":"bye"}',
    })
  })

  it('sb/1 3.2: has written bye and DISCONNECT when stop returns: a page that closes runs no later task', async () => {
    const write = vi.fn()
    const dial = (url: string) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      write.mockImplementation(socket.write.bind(socket))
      return Object.assign(socket, { write })
    }
    const { speaker } = await welcomedSpeaker({ dial })
    write.mockClear()
    const stopped = speaker.stop()
    const written = Buffer.concat(write.mock.calls.map(([bytes]) => Buffer.from(bytes)))
    expect(written.toString('latin1')).toMatch(/"reason":"bye"}\xe0\0$/)
    await stopped
  })

  it('reports the reconnect as the reason for the disconnect', async () => {
    const { speaker, watch } = await welcomedSpeaker()
    await speaker.reconnect()
    expect(await watch.next('disconnected')).toEqual({ event: 'disconnected', reason: 'it connects anew' })
    await watch.next('connected')
  })

  it('leaves its will when the cable is pulled', async () => {
    const { hub, speaker } = await welcomedSpeaker()
    await speaker.cutNetwork()
    const will = await hub.until((heard) => heard.kind === 'will')
    expect(will.body.reason).toBe('lost')
    expect(speaker.snapshot()).toMatchObject({ link: 'offline', retryInMs: undefined })
  })

  it('reports every packet, and the content of its frame', async () => {
    const { watch } = await welcomedSpeaker()
    const notes = watch.items.flatMap((item) => (item.kind === 'packet' ? [item.note] : []))
    expect(notes.slice(0, 4).map(({ direction, packet }) => `${direction} ${packet}`)).toEqual([
      'out connect',
      'in connack',
      'out subscribe',
      'in suback',
    ])
    const messages = notes.flatMap(({ message }) => (message ? [message] : []))
    expect(messages[0]).toMatchObject({ topic: 'birth', t: 'birth', bytes: expect.any(Number) })
    expect(messages).toContainEqual({
      topic: 'down',
      t: 'welcome',
      n: 1,
      bytes: expect.any(Number),
      frame: expect.stringMatching(/^\{"t":"welcome",.*"mac":"[\w-]{22}"\}$/),
    })
  })
})

describe('a speaker without a link', () => {
  it('reports that nothing answers, and retries', async () => {
    const { hub, watch, speaker } = await speakerAtDouble()
    await hub.close()
    speaker.start()
    const reason = `nothing answers at ${hub.url}`
    expect(await watch.next('offline')).toEqual({ event: 'offline', reason, retryInMs: 0 })
    expect(await watch.next('offline')).toMatchObject({ reason })
    expect(speaker.snapshot().display.screen).toMatch(/no_network|connecting/)
  })

  it('waits at least 15 minutes after a refused login', async () => {
    const { watch, speaker } = await speakerAtDouble({ key: Buffer.alloc(32, 2) })
    speaker.start()
    expect(await watch.next('refused')).toMatchObject({ code: 5, retryInMs: 900_000 })
    expect(speaker.snapshot().link).toBe('offline')
  })

  it('sb/1 10.2: disconnects from a hub that sends no welcome', async () => {
    const clock = new WoundClock()
    const { hub, watch, speaker } = await speakerAtDouble({
      ...{ hub: { welcome: false }, clock, random: () => 0.5 },
    })
    speaker.start()
    await hub.until((heard) => heard.kind === 'birth')
    clock.wind(30_000)
    expect(await watch.next('offline')).toMatchObject({ reason: 'the hub sent no welcome within 30 s' })
    expect(clock.waits).toEqual([500])
  })

  it.each([
    ['nothing', undefined],
    ['a CONNACK and no SUBACK', 0],
  ])('sb/1 1.8: gives up a hub that sends %s within 30 s', async (_, connack) => {
    const clock = new WoundClock()
    const watch = refusedBy(connack, { clock, random: () => 0.5 })
    await until(() => clock.waits.includes(30_000))
    clock.wind(30_000)
    expect(await watch.next('offline')).toMatchObject({ reason: 'the hub did not answer within 30 s' })
    expect(clock.waits).toEqual([500])
  })

  it.each([1, 2])('sb/1 1.9: waits at least 15 minutes after CONNACK %i', async (connack) => {
    const watch = refusedBy(connack)
    const reason = `the hub refused the CONNECT (CONNACK ${connack})`
    expect(await watch.next('refused')).toEqual({
      event: 'refused',
      code: connack,
      reason,
      retryInMs: 900_000,
    })
  })

  it('sb/1 1.7: takes CONNACK 3 for a lost connection', async () => {
    const watch = refusedBy(3)
    expect(await watch.next('offline')).toMatchObject({
      reason: 'the hub refused the connection (CONNACK 3)',
    })
  })

  it('stops when it can’t store what it plays', async () => {
    const { hub, watch } = await welcomedSpeaker({ memory: { ...volatileMemory(), save: brokenSave } })
    await hub.send('announce', ANNOUNCE)
    expect(await watch.next('broken')).toEqual({ event: 'broken', reason: 'the disk is full' })
    expect(watch.events.map(({ event }) => event)).not.toContain('announce')
  })
})

/** Starts a speaker whose hub answers the CONNECT, if at all, with this CONNACK, and nothing else. */
function refusedBy(connack: number | undefined, options: Partial<SpeakerOptions> = {}): Watch {
  let isConnected = false
  const line = () =>
    new Duplex({
      read() {},
      write(_chunk, _encoding, done) {
        if (!isConnected && connack !== undefined) this.push(Buffer.from([0x20, 2, 0, connack]))
        isConnected = true
        done()
      },
    })
  const { speaker, watch } = speakerAt('mqtt://127.0.0.1', { dial: line, ...options })
  speaker.start()
  return watch
}

/** Resolves when a condition holds that needs turns of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

function brokenSave(): never {
  throw new MemoryError('the disk is full')
}
