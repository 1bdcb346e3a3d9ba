import { createFeed } from '../speaker/feed.ts'
import type { SpeakerSnapshot } from '../speaker/snapshot.ts'
import type { Speaker } from '../speaker/speaker.ts'
import { Box, type BoxItem, type BoxOptions, type BoxSnapshot } from './box.ts'
import type { BoxLine } from './core/lines.ts'

/** A box that stands where a speaker of sb/1 may stand, in a fleet or a scenario. */
export interface BoxSpeaker extends Speaker {
  readonly box: Box
}

export function isBox(speaker: Pick<Speaker, 'subscribe'>): speaker is BoxSpeaker {
  return 'box' in speaker
}

/**
 * Builds a box with the face of a speaker: the same controls, and its lines as a speaker's events. What a box does not
 * have does nothing: settings, notices of missed payments, the faults of sb/1, commands with numbers. Nothing happens
 * before `start`.
 */
export function createBoxSpeaker(options: BoxOptions): BoxSpeaker {
  const box = new Box(options)
  const { serial } = options.config
  const feed = createFeed()
  box.subscribe((item) => {
    const told = itemOf(item)
    if (told) feed.publish(told)
  })
  return {
    ...{ box, serial, subscribe: feed.subscribe },
    start: () => box.start(),
    stop: async () => box.stop(),
    cutNetwork: async () => box.cutNetwork(),
    async reconnect() {
      box.cutNetwork()
      box.start()
    },
    powerOff: async () => box.powerOff(),
    powerOn: () => box.powerOn(),
    setFault: () => undefined,
    adjust: () => undefined,
    dismiss: () => undefined,
    note: (event) => feed.publish({ kind: 'event', event, atMs: box.snapshot().nowMs }),
    hubNowMs: () => box.snapshot().nowMs,
    owesAck: () => false,
    snapshot: () => snapshotOf(box.snapshot()),
  }
}

type SpeakerItem = Parameters<Parameters<Speaker['subscribe']>[0]>[0]
type SpeakerEvent = Extract<SpeakerItem, { kind: 'event' }>['event']

function itemOf(item: BoxItem): SpeakerItem | undefined {
  const { atMs } = item
  if (item.kind === 'packet') {
    const { direction, packet } = item.packet
    return { atMs, kind: 'packet', note: { direction, packet } }
  }
  const event = eventOf(item.event)
  return event && { atMs, kind: 'event', event }
}

/** The event of a speaker with the same meaning. */
function eventOf(line: BoxLine): SpeakerEvent | undefined {
  switch (line.event) {
    case 'power':
    case 'disconnected':
    case 'offline':
    case 'played':
      return line
    case 'connected':
      // A box is never told of its shop.
      return { event: 'connected', linked: false }
    case 'refused':
      return { ...line, code: codeOf(line.code) }
    case 'home':
      return { event: 'profile', name: line.lines[0] ?? '', qr: line.qr }
    case 'code':
      return { event: 'code', code: line.code, exp: 0 }
    case 'qr':
      return { ...line, amount: line.amount ?? '', exp: line.exp ?? 0 }
    case 'announce': {
      const { n, amount = '', currency, text, lang } = line
      return { event: 'announce', n, amount, currency, text, lang, clips: '' }
    }
    case 'fault':
    case 'cleared':
    case 'keyed':
    case 'answered':
    case 'repeat':
    case 'dropped':
    case 'ignored':
      return undefined
  }
}

/** The CONNACK codes of a hub that knows MQTT 3.1.1. */
function codeOf(code: number): Extract<SpeakerEvent, { event: 'refused' }>['code'] {
  return code === 1 || code === 2 || code === 5 ? code : 4
}

const BATTERY = 87
const SIGNAL = -61

function snapshotOf({ power, state, nowMs }: BoxSnapshot): SpeakerSnapshot {
  const { config, link, home, playing, queue, sounds } = state
  const retryAtMs = link.phase === 'offline' ? link.retryAtMs : undefined
  return {
    serial: config.serial,
    power,
    display: power ? displayOf(state, nowMs) : { screen: 'off' },
    link: link.phase === 'online' ? 'welcomed' : link.phase,
    retryInMs: retryAtMs === undefined ? undefined : Math.max(0, retryAtMs - nowMs),
    ...(link.phase === 'offline' ? { offlineReason: link.reason } : {}),
    linked: home.lines.length > 0,
    shop: home.lines[0] ?? '',
    settings: { ver: 0, volume: 100, lang: config.lang },
    ...{ faults: [], battery: BATTERY, signal: SIGNAL },
    sounding: playing && {
      ...{ kind: 'sentence', n: playing.n, text: playing.text, said: playing.text },
      amount: playing.amount ?? '',
    },
    ...{ waiting: queue.length, played: sounds },
  }
}

function displayOf({ screen, link, home }: BoxSnapshot['state'], nowMs: number): SpeakerSnapshot['display'] {
  const secondsLeft = (untilMs = nowMs) => Math.max(0, Math.ceil((untilMs - nowMs) / 1000))
  switch (screen.screen) {
    case 'code':
      return { screen: 'code', code: screen.code, secondsLeft: secondsLeft(screen.untilMs) }
    case 'qr': {
      const { qr, amount = '', bill, untilMs } = screen
      return { screen: 'qr', qr, amount, bill, secondsLeft: secondsLeft(untilMs) }
    }
    case 'amount':
      return { screen: 'payment', amount: screen.amount }
    case 'home':
      if (link.phase === 'offline') return { screen: 'no_network', reason: link.reason }
      if (link.phase === 'connecting') return { screen: 'connecting' }
      return { screen: 'idle', name: home.lines[0] ?? '', qr: home.qr }
  }
}
