import { FIRST_UI, type UiState } from '../../../simulator/screen/ui-state.ts'
import type { ViewModel } from '../../../simulator/screen/view-model.ts'
import type { Display } from '../../../simulator/speaker/device/display.ts'
import type { FeedItem } from '../../../simulator/speaker/feed.ts'
import type { SpeakerSnapshot } from '../../../simulator/speaker/snapshot.ts'

/** NAPAS's sample of a dynamic code: version 7, 45 modules. */
export const DYNAMIC_QR =
  '00020101021238570010A00000072701270006970403011300110123456780208QRIBFTTA530370454061800005802VN62340107NPS68690819thanh toan don hang63042E2E'
/** A static code: 35 characters fewer, version 4 or 5. */
export const STATIC_QR =
  '00020101021138540010A00000072701240006970424011000999999990208QRIBFTTA53037045802VN6304CBB4'

export const SIZES = [
  { columns: 60, rows: 20 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
] as const

export function snapshotOf(display: Display, change: Partial<SpeakerSnapshot> = {}): SpeakerSnapshot {
  return {
    serial: 'SPK-0001',
    power: true,
    display,
    link: 'welcomed',
    retryInMs: undefined,
    linked: true,
    shop: 'Phở Bà Hạnh',
    settings: { ver: 1, volume: 80, lang: 'vi' },
    faults: [],
    battery: 100,
    signal: -55,
    sounding: undefined,
    waiting: 0,
    played: 3,
    ...change,
  }
}

/** Sixty `played` events, one per second: #0 to #59. */
export const SIXTY: readonly FeedItem[] = Array.from({ length: 60 }, (_, n) => ({
  atMs: n * 1000,
  kind: 'event',
  event: { event: 'played', n },
}))

/** A packet with a frame; `direction` is the speaker's. */
export function packetOf(
  direction: 'in' | 'out',
  frame: string,
  message: { t?: string; n?: number; stage?: string; rc?: string; dup?: boolean } = {},
): Extract<FeedItem, { kind: 'packet' }> {
  const topic = direction === 'in' ? 'down' : 'ack'
  return {
    atMs: 0,
    kind: 'packet',
    note: { direction, packet: 'publish', message: { topic, bytes: frame.length, frame, ...message } },
  }
}

interface ModelChange extends Partial<Omit<ViewModel, 'speaker' | 'ui'>> {
  speaker?: Partial<SpeakerSnapshot>
  ui?: Partial<UiState>
}

export function modelOf(
  size: { columns: number; rows: number },
  display: Display,
  { speaker, ui, ...rest }: ModelChange = {},
): ViewModel {
  return {
    ...size,
    colour: false,
    speaker: snapshotOf(display, speaker),
    log: SIXTY,
    controls: true,
    extraLines: undefined,
    extraKeys: [],
    page: undefined,
    footer: '',
    quitLabel: 'quit',
    beat: 0,
    ui: { ...FIRST_UI, ...ui },
    ...rest,
  }
}
