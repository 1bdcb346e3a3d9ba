import { type Html, html } from '../../../site/parts/html.ts'
import { money, span, timeOf } from '../../parts/format.ts'
import { soundOf } from '../../parts/proof.ts'
import { stageIn } from '../../parts/stages.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'
import { detailsOf, from, whereFrom } from '../audit.ts'
import type { Announced, DeviceFacts } from './facts.ts'

const words = wordsOf({
  made: ['Created', 'Được tạo'],
  born: ['Connected and said who it is', 'Kết nối và tự giới thiệu'],
  left: ['Connection ended', 'Mất kết nối'],
  identified: ['Beeped and flashed', 'Đã kêu bíp và nháy đèn'],
  reported: ['Last report of its readings', 'Báo cáo chỉ số lần cuối'],
  keyWaits: ['A new key waits for it', 'Có khoá mới chờ loa nhận'],
  offer: ['Firmware is offered', 'Có phần mềm mới chờ cài'],
  progress: ['Says of the firmware', 'Báo về phần mềm mới'],
  announced: ['Announcement', 'Thông báo'],
})
interface Moment {
  at: number
  what: string
  said: Html | string
  mood?: 'good' | 'bad'
}

/** What is stored of a device's past, the newest first. */
export function timelineOf(facts: DeviceFacts, lang: Lang): Html {
  const moments = momentsOf(facts, lang).sort((one, other) => other.at - one.at)
  return html`<ol class="timeline">${moments.map(
    ({ at, what, said, mood = '' }) =>
      html`<li class="${mood}">${timeOf(at, lang)} <strong>${what}</strong> <span>${said}</span></li>`,
  )}</ol>`
}

function momentsOf({ device, announced, audit, identifiedAt }: DeviceFacts, lang: Lang): Moment[] {
  const w = words(lang)
  const { createdAt, lastBirthAt, leftAt, health, nextKeySince, offer, updateProgress: said } = device
  const at = (time: number | undefined, what: string, text: Html | string = '', mood?: 'bad'): Moment[] =>
    time === undefined ? [] : [{ at: time, what, said: text, ...(mood && { mood }) }]
  return [
    ...announced.map((one) => announcement(one, lang)),
    ...audit.map((row) => ({
      at: row.at,
      what: row.action,
      said: html`${row.actor} <small>${from(lang)[whereFrom(row)]}</small> <code class="details">${detailsOf(row)}</code>`,
    })),
    ...at(createdAt, w.made),
    ...at(lastBirthAt, w.born, [device.model, device.firmware].filter(Boolean).join(' ')),
    ...at(leftAt, w.left, '', 'bad'),
    ...at(health?.reportedAt, w.reported),
    ...at(identifiedAt, w.identified),
    ...at(nextKeySince, w.keyWaits),
    ...at(offer?.since, w.offer, offer?.fw),
    ...at(said?.at, w.progress, said && `${said.fw} ${said.state}${percent(said.percent)}`),
  ]
}

const percent = (value: number | undefined) => (value === undefined ? '' : ` ${value} %`)

function announcement({ trail, amount, terminalID }: Announced, lang: Lang): Moment {
  const { stage, times, reason } = trail
  const steps = Object.entries(times).sort(([, one], [, other]) => one - other)
  const start = steps[0]?.[1] ?? 0
  const word = stageIn(lang)
  const said = steps.map(
    ([name, at], index) => `${nameOf(name, word)}${index === 0 ? '' : ` +${span(at - start, lang)}`}`,
  )
  const last = steps.at(-1)?.[1] ?? 0
  const isLost = stage === 'failed' || stage === 'expired'
  return {
    at: last,
    what: `${words(lang).announced} ${money(amount)}`,
    said: html`${terminalID} <small>${said.join(' › ')}</small>${reason === undefined ? '' : html` <code>${reason}</code>`}${soundOf(trail, lang)}`,
    ...(stage === 'played' && { mood: 'good' as const }),
    ...(isLost && { mood: 'bad' as const }),
  }
}

/** A stage that a later hub has added stands as it is. */
function nameOf(stage: string, word: Readonly<Record<string, string>>): string {
  return word[stage] ?? stage
}
