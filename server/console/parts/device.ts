import type { DeviceReport } from '../../devices/device.ts'
import { DEVICE_STATES, type DeviceState, stateOf } from '../../operate/device-state.ts'
import { type Html, html } from '../../site/parts/html.ts'
import { ago, never, timeOf } from './format.ts'
import { type Both, inLang, type Lang, wordsOf } from './words.ts'

/** A battery at or below this is shown as low; percent. */
export const LOW_BATTERY = 15

const STATES: Readonly<Record<DeviceState, Both>> = {
  online: ['online', 'đang kết nối'],
  offline: ['offline', 'mất kết nối'],
  locked: ['locked', 'đã khoá'],
  free: ['not registered', 'chưa đăng ký'],
  revoked: ['revoked', 'đã thu hồi'],
}
const words = wordsOf({
  now: ['now', 'ngay lúc này'],
  no: ['none', 'không có'],
})

export const STATE_CHOICES = DEVICE_STATES.map((value) => ({ value, label: STATES[value] }))

/** The state of a device in a colour, and as a word. */
export function stateBadge(device: DeviceReport, lang: Lang): Html {
  const state = stateOf(device)
  return html`<span class="state ${state}">${inLang(STATES[state], lang)}</span>`
}

/** When a device was last seen, with its age. */
export function lastSeen({ connected, lastSeenAt }: DeviceReport, now: number, lang: Lang): Html | string {
  if (connected) return words(lang).now
  if (lastSeenAt === undefined) return never(lang)
  return html`${ago(lastSeenAt, now, lang)} <small>${timeOf(lastSeenAt, lang)}</small>`
}

/** A value of the last report; never when there is none. */
export function reading(
  { health }: Pick<DeviceReport, 'health'>,
  text: (health: Health) => string | undefined,
  lang: Lang,
): string {
  return (health && text(health)) ?? never(lang)
}

type Health = NonNullable<DeviceReport['health']>
const withUnit = (value: number | undefined, unit: string) =>
  value === undefined ? undefined : `${value}${unit}`

/** The readings as a person reads them, undefined when the device has not said one. */
export const READINGS = {
  battery: ({ battery }: Health) => withUnit(battery, ' %'),
  signal: ({ signal }: Health) => withUnit(signal, ' dBm'),
  volume: ({ volume }: Health) => withUnit(volume, ' %'),
  queue: ({ queue }: Health) => withUnit(queue, ''),
} as const

/** The battery, in a warning colour when it is low. */
export function battery(device: Pick<DeviceReport, 'health'>, lang: Lang): Html | string {
  const shown = reading(device, READINGS.battery, lang)
  const percent = device.health?.battery
  return percent !== undefined && percent <= LOW_BATTERY ? html`<span class="bad">${shown}</span>` : shown
}

/** The shops of a device. What a shop's owner has told of themselves is not shown. */
export function shops({ stores }: Pick<DeviceReport, 'stores'>, lang: Lang): Html | string {
  const [first, ...others] = stores
  if (!first) return words(lang).no
  return html`${first.terminalID} ${first.storeName}${others.length > 0 ? html` <small>+${others.length}</small>` : ''}`
}

/** What a device says that it is. */
export const modelOf = ({ model, firmware }: Pick<DeviceReport, 'model' | 'firmware'>): string =>
  [model, firmware].filter(Boolean).join(' ')

/** The page of a device. */
export const devicePath = (serial: string, rest = ''): string =>
  `/devices/${encodeURIComponent(serial)}${rest}`
