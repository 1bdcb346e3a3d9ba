import { isFinal } from '../../../announcements/announcement.ts'
import { type DeviceReport, startedAt } from '../../../devices/device.ts'
import type { MaintenanceCap } from '../../../devices/maintenance.ts'
import { silenceInEnglish } from '../../../operate/silence-english.ts'
import { silenceInVietnamese } from '../../../operate/silence-vietnamese.ts'
import { mayAct } from '../../../operators/session.ts'
import { isApplied, type Settings } from '../../../settings/settings.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { battery, lastSeen, READINGS, reading, stateBadge } from '../../parts/device.ts'
import { ago, never, timeOf } from '../../parts/format.ts'
import { type Fact, factList } from '../../parts/pieces.ts'
import type { OwnVisit } from '../../parts/visit.ts'
import { inLang, type Lang, wordsOf } from '../../parts/words.ts'
import { abilitiesOf } from './abilities.ts'
import { actionsOf } from './actions.ts'
import type { DeviceFacts } from './facts.ts'
import { timelineOf } from './timeline.ts'

const words = wordsOf({
  why: ['Why it is silent', 'Vì sao loa im lặng'],
  state: ['State', 'Trạng thái'],
  about: ['What it has reported', 'Loa đã báo'],
  seen: ['Last seen', 'Thấy lần cuối'],
  battery: ['Battery', 'Pin'],
  charging: ['charging', 'đang sạc'],
  signal: ['Signal', 'Sóng'],
  started: ['Started by', 'Khởi động do'],
  crashes: ['Crashes', 'Số lần treo máy'],
  ended: ['Last connection ended by', 'Kết nối trước mất do'],
  volume: ['Volume', 'Âm lượng'],
  queue: ['Waiting to be spoken', 'Chờ đọc'],
  model: ['Model', 'Kiểu loa'],
  firmware: ['Firmware', 'Phần mềm'],
  caps: ['Can also take', 'Nhận thêm được'],
  born: ['Last birth', 'Kết nối gần nhất'],
  left: ['Connection ended', 'Mất kết nối'],
  belongs: ['Shops and partner', 'Cửa hàng và đối tác'],
  partner: ['Partner', 'Đối tác'],
  shop: ['Shop', 'Cửa hàng'],
  none: ['none', 'không có'],
  settings: ['Settings', 'Cài đặt'],
  desired: ['Desired', 'Muốn đặt'],
  reported: ['Reported', 'Loa báo'],
  applied: ['in force', 'đã áp dụng'],
  pending: ['not in force yet', 'chưa áp dụng'],
  waiting: ['Waiting for it', 'Đang chờ loa'],
  announced: ['Announcements', 'Thông báo'],
  key: ['New key', 'Khoá mới'],
  offer: ['Firmware', 'Phần mềm'],
  progress: ['It says', 'Loa báo'],
  installed: ['installed', 'đã cài'],
  unable: ['but it takes none: missing in its capabilities:', 'nhưng loa không nhận được, thiếu khả năng:'],
  nothing: ['Nothing waits.', 'Không có gì chờ.'],
  timeline: ['Timeline', 'Dòng thời gian'],
})
export const languages = wordsOf({ vi: ['Vietnamese', 'tiếng Việt'], en: ['English', 'tiếng Anh'] })

/** The page of a device: first why it is silent, then what can be done, then all that is known. */
export function devicePageBody(facts: DeviceFacts, { lang, now, who }: OwnVisit, notice: Html | ''): Html {
  const w = words(lang)
  const { device, why } = facts
  const sentence = inLang([silenceInEnglish, silenceInVietnamese], lang)
  return html`${notice}
<section class="panel why" aria-labelledby="why">
<h2 id="why">${w.why}</h2>
<p>${stateBadge(device, lang)} ${lastSeen(device, now, lang)}</p>
<ul>${why.map((found) => html`<li>${sentence(found)}</li>`)}</ul>
</section>
${mayAct(who.role, 'operator') && device.revokedAt === undefined ? actionsOf(facts, who.role, lang) : ''}
<div class="columns">
${readingsOf(facts, now, lang)}
${abilitiesOf(device.abilities, lang)}
${belongingOf(facts, lang)}
${device.abilities.settings.length > 0 ? settingsOf(facts, lang) : ''}
${waitingOf(facts, now, lang)}
</div>
<section aria-labelledby="timeline"><h2 id="timeline">${w.timeline}</h2>
${timelineOf(facts, lang)}
</section>`
}

const titled = (title: string, all: readonly Fact[]): Html =>
  html`<section class="panel"><h2>${title}</h2>${factList(all, { isPanel: false })}</section>`

function readingsOf({ device }: DeviceFacts, now: number, lang: Lang): Html {
  const w = words(lang)
  const { model, firmware, lastBirthAt, leftAt, caps, health, runtime } = device
  const aged = (said: Html | string): Html =>
    html`${said}${health === undefined || said === never(lang) ? '' : html` <small>${ago(health.reportedAt, now, lang)}</small>`}`
  return titled(w.about, [
    [w.seen, lastSeen(device, now, lang)],
    [w.battery, aged(html`${battery(device, lang)}${health?.charging ? `, ${w.charging}` : ''}`)],
    [w.signal, aged(reading(device, READINGS.signal, lang))],
    [w.volume, aged(reading(device, READINGS.volume, lang))],
    [w.queue, aged(reading(device, READINGS.queue, lang))],
    [w.model, model || never(lang)],
    [w.firmware, firmware || never(lang)],
    [w.caps, caps.join(', ') || w.none],
    [w.born, timeOf(lastBirthAt, lang)],
    [w.left, timeOf(leftAt, lang)],
    ...(runtime ? runtimeOf(runtime, now, lang) : []),
  ])
}

function runtimeOf(runtime: NonNullable<DeviceReport['runtime']>, now: number, lang: Lang): Fact[] {
  const w = words(lang)
  const { reset, crashes, modem } = runtime
  return [
    [w.started, html`${reset} <small>${ago(startedAt(runtime), now, lang)}</small>`],
    [w.crashes, crashes === 0 ? '0' : html`<span class="bad">${crashes}</span>`],
    ...(modem === undefined ? [] : [[w.ended, modem] as const]),
  ]
}

function belongingOf({ device, partnerName }: DeviceFacts, lang: Lang): Html {
  const w = words(lang)
  const { clientId, stores } = device
  const partner = clientId === undefined ? w.none : html`${partnerName} <code>${clientId}</code>`
  const all = stores.map(({ terminalID, storeName }) => [w.shop, `${terminalID} ${storeName}`] as const)
  return titled(w.belongs, [[w.partner, partner], ...(all.length > 0 ? all : [[w.shop, w.none] as const])])
}

function settingsOf({ settings }: DeviceFacts, lang: Lang): Html {
  const w = words(lang)
  const { desired, reported } = settings ?? {}
  const state = settings && desired && (isApplied(settings) ? w.applied : w.pending)
  return titled(w.settings, [
    [
      w.desired,
      state === undefined
        ? describe(desired, lang)
        : html`${describe(desired, lang)} <small>${state}</small>`,
    ],
    [w.reported, describe(reported, lang)],
  ])
}

function describe(settings: Settings | undefined, lang: Lang): string {
  return settings ? `${settings.volume} %, ${languages(lang)[settings.lang]}` : never(lang)
}

function waitingOf({ device, announced }: DeviceFacts, now: number, lang: Lang): Html {
  const w = words(lang)
  const { caps, firmware, nextKeySince, offer, updateProgress: said } = device
  const unable = (cap: MaintenanceCap) => (caps.includes(cap) ? '' : ` ${w.unable} ${cap}`)
  const age = (at: number) => html`<small>${ago(at, now, lang)}</small>`
  const open = announced.filter(({ trail }) => !isFinal(trail.stage))
  const all = [
    open.length > 0 && ([w.announced, String(open.length)] as const),
    nextKeySince !== undefined && ([w.key, html`${age(nextKeySince)}${unable('rekey')}`] as const),
    offer &&
      ([
        w.offer,
        html`${offer.fw} ${age(offer.since)} ${offer.fw === firmware ? w.installed : unable('update')}`,
      ] as const),
    said &&
      ([
        w.progress,
        html`${said.fw} ${said.state}${said.percent === undefined ? '' : ` ${said.percent} %`} ${age(said.at)}`,
      ] as const),
  ].filter((one) => typeof one === 'object')
  if (all.length === 0)
    return html`<section class="panel"><h2>${w.waiting}</h2><p class="none">${w.nothing}</p></section>`
  return titled(w.waiting, all)
}
