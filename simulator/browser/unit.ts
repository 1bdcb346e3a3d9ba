import { parseKey } from '../../protocol/keys.ts'
import type { Language } from '../../protocol/money/language.ts'
import { messageOf } from '../platform/error-text.ts'
import type { ClipPack } from '../sound/audio.ts'
import { soundTimesOf } from '../sound/clip-lengths.ts'
import { attachVoice } from '../sound/voice.ts'
import type { SpeakerEvent } from '../speaker/device/state/speaker-events.ts'
import type { FeedItem } from '../speaker/feed.ts'
import { createSpeaker, type Speaker } from '../speaker/speaker.ts'
import { type HistoryKeeper, keepHistory } from './history/keep.ts'
import type { PageClock } from './platform/clock.ts'
import { ownSpeaker } from './platform/lock.ts'
import type { Output } from './platform/sound.ts'
import type { Store } from './platform/store.ts'
import type { Device } from './provision/link.ts'
import type { Standstill } from './view/face.ts'
import { browserLanguage } from './view/page-words.ts'
import { createView } from './view/view.ts'

export interface UnitOptions {
  device: Device
  /** The hub's MQTT over WebSocket. */
  url: string
  clock: PageClock
  store: Store
  output: Output
  pack: Promise<ClipPack>
  /** Shows the last payments, and keeps them over a reload. */
  withHistory: boolean
  /** Called when the picture may have changed. */
  onChange?: (shop: string) => void
}

/** One speaker of a page. */
export interface Unit {
  element: HTMLElement
  /** Draws what changes with time alone. */
  refresh(): void
  /** The page goes: says `bye`. */
  leave(): void
}

/** How this device describes itself. The hub's files are its firmware, so it takes no updates from elsewhere. */
const CONFIG = { model: 'browser', caps: ['screen', 'speaker', 'qr', 'rekey'] } as const

/** Vibration for a payment, in milliseconds on, off, on. */
const BUZZ = [180, 90, 180]

/**
 * Runs a speaker: takes its lock, reads its memory, waits until the browser plays sound, and only then connects. A
 * speaker that nobody can hear must not ack `played`, and the hub shows one without a connection as offline.
 *
 * Each item of its feed is a DOM event `speaker` on its element.
 */
export function runUnit(options: UnitOptions): Unit {
  const { device, url, clock, store, output, pack, withHistory, onChange } = options
  const { serial } = device
  let standstill: Standstill | undefined = { screen: 'starting' }
  let lang: Language = browserLanguage()
  let speaker: Speaker | undefined
  let history: HistoryKeeper | undefined
  let refused = false

  const view = createView({
    switchOn: () => void output.switchOn(),
    dismiss: () => act((it) => it.dismiss()),
    reconnect: () => act((it) => void it.reconnect()),
    mend: () => {
      void output.switchOn()
      if (speaker?.snapshot().link === 'offline') void speaker.reconnect()
    },
    hide: (hidden) => {
      history?.setHidden(hidden)
      show()
    },
    adjust: (change) => act((it) => it.adjust(change)),
    fullScreen: () => void toggleFullScreen(),
  })
  function act(what: (speaker: Speaker) => void) {
    if (speaker) what(speaker)
    show()
  }
  function show(next = standstill) {
    standstill = next
    const snapshot = speaker?.snapshot()
    if (snapshot) lang = snapshot.settings.lang
    history?.settle()
    const payments = history && { history: history.now(), nowMs: speaker?.hubNowMs() ?? clock.now() }
    view.show({ serial, lang, standstill, speaker: standstill ? undefined : snapshot, refused, payments })
    onChange?.(snapshot?.shop ?? '')
  }
  const breakDown = (error: unknown) => show({ screen: 'broken', reason: messageOf(error) })

  function onEvent(event: SpeakerEvent) {
    if (event.event === 'broken') breakDown(event.reason)
    if (event.event === 'refused') refused = true
    // The last attempt tells the cause.
    if (event.event === 'connected' || event.event === 'offline') refused = false
    history?.on(event)
    // Before the first touch a browser refuses to vibrate, and logs an error.
    if (event.event === 'announce' && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZ)
  }
  function onFeed(item: FeedItem) {
    if (item.kind === 'event') onEvent(item.event)
    view.element.dispatchEvent(new CustomEvent('speaker', { detail: item, bubbles: true }))
    show()
  }

  async function start() {
    await ownSpeaker(serial, () => show({ screen: 'elsewhere' }))
    show({ screen: 'starting' })
    // Read after the lock was taken: the page that held it may have written until it closed.
    const memory = await store.memory(serial)
    lang = memory.load().settings.lang
    const [clips] = await Promise.all([pack, soundOf(output, () => show({ screen: 'tap' }))])
    const key = parseKey(device.key)
    if (!key) throw new Error('the stored key is damaged')
    const config = { ...CONFIG, ...soundTimesOf(clips) }
    speaker = createSpeaker({ serial, key, url, memory, clock, config })
    if (withHistory) history = keepHistory(await store.history(serial), speaker)
    speaker.subscribe(onFeed)
    joinPage(speaker, clips, output, clock)
    standstill = undefined
    speaker.start()
    show()
  }

  show()
  start().catch(breakDown)
  return {
    element: view.element,
    refresh: () => show(),
    leave: () => void speaker?.stop(),
  }
}

/** Lets a speaker sound, and tells it when the sound, the network or the clock of its page changes. */
function joinPage(speaker: Speaker, clips: ClipPack, output: Output, clock: PageClock) {
  attachVoice(speaker, { pack: clips, player: output.player() })
  output.onChange((isOn) => speaker.setFault('broken-audio', !isOn))
  speaker.setFault('broken-audio', !output.isOn())
  // The network is back: the browser knows it before the next attempt is due.
  window.addEventListener('online', () => {
    if (speaker.snapshot().link === 'offline') void speaker.reconnect()
  })
  // Only a new welcome tells the hub's time again: without it each payment would look late.
  clock.onAhead(() => {
    if (speaker.snapshot().link === 'welcomed') void speaker.reconnect()
  })
}

/** Resolves when the browser plays sound. Calls `ask` when that takes a tap. */
async function soundOf(output: Output, ask: () => void): Promise<void> {
  if (output.isOn() || (await output.switchOn())) return
  ask()
  await new Promise<void>((resolve) => {
    output.onChange((isOn) => {
      if (isOn) resolve()
    })
  })
}

async function toggleFullScreen(): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen()
  else await document.documentElement.requestFullscreen()
}
