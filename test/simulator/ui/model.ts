import type { Display } from '../../../simulator/device/display.ts'
import type { SpeakerSnapshot } from '../../../simulator/snapshot.ts'
import type { ViewModel } from '../../../simulator/ui/view-model.ts'

/** NAPAS's sample of a dynamic code: version 7, 45 modules. */
export const DYNAMIC_QR =
  '00020101021238570010A00000072701270006970403011300110123456780208QRIBFTTA530370454061800005802VN62340107NPS68690819thanh toan don hang63042E2E'
/** A static one: 35 characters less, version 4 or 5. */
export const STATIC_QR =
  '00020101021138540010A00000072701240006970423011000999999990208QRIBFTTA53037045802VN6304CBB4'

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

export function modelOf(
  size: { columns: number; rows: number },
  display: Display,
  change: Partial<Omit<ViewModel, 'speaker'>> & { speaker?: Partial<SpeakerSnapshot> } = {},
): ViewModel {
  const { speaker, ...rest } = change
  return {
    ...size,
    colour: false,
    speaker: snapshotOf(display, speaker),
    log: Array.from({ length: 60 }, (_, index) => ({ atMs: 0, mark: '•', text: `happening ${index}` })),
    extraLines: undefined,
    extraKeys: [],
    footer: '',
    help: false,
    ...rest,
  }
}
