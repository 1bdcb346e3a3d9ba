import { type Html, html } from '../../../site/parts/html.ts'
import type { Delivery, DeliveryState, Webhook } from '../../../webhooks/webhook.ts'
import { timeOf } from '../../parts/format.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'

export const stateIn = wordsOf<DeliveryState, string>({
  pending: ['pending', 'chờ gửi'],
  delivered: ['delivered', 'đã gửi'],
  failed: ['failed', 'gửi lỗi'],
})

const words = wordsOf({
  enabled: ['enabled', 'đang bật'],
  failing: ['failing', 'đang lỗi'],
  partner: ['disabled by the partner', 'đối tác đã tắt'],
  gone: ['disabled: its endpoint answered 410', 'đã tắt: máy nhận trả lời 410'],
  onlyFailed: ['disabled: it had only failed for five days', 'đã tắt: chỉ toàn lỗi trong năm ngày'],
  noReply: ['no reply', 'không trả lời'],
})

/** What a webhook is doing. */
export function healthOf({ state, disabledReason, failingSince }: Webhook, lang: Lang): Html {
  const w = words(lang)
  if (state === 'disabled') {
    const why = { gone: w.gone, failing: w.onlyFailed }
    return html`<span class="stage bad">${disabledReason ? why[disabledReason] : w.partner}</span>`
  }
  return failingSince === undefined
    ? html`<span class="stage good">${w.enabled}</span>`
    : html`<span class="stage bad">${w.failing}</span>`
}

/** A segment of a path that is a word. Anything else may be a token. */
const WORD = /^([a-z]+([._-][a-z]+)*|v\d{1,2})$/i
const LONGEST_WORD = 24

/** An address without what may be a token of the partner's: its query, and segments that are no words. */
export function shownAddress(address: string): string {
  const { origin, pathname, search } = new URL(address)
  const segments = pathname
    .split('/')
    .map((one) => (one === '' || (one.length <= LONGEST_WORD && WORD.test(one)) ? one : '…'))
  return `${origin}${segments.join('/')}${search === '' ? '' : '?…'}`
}

/** The last attempt: its time, and its status or why there is none. */
export function lastAttempt({ attempts }: Delivery, lang: Lang): Html | string {
  const last = attempts.at(-1)
  if (!last) return ''
  const { at, status, error, ms } = last
  return html`${timeOf(at, lang)} <code>${status ?? words(lang).noReply}</code> ${error ?? ''} <small>${ms}\u00a0ms</small>`
}
