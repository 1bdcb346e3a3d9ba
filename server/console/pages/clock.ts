import { type ClockDoubt, confirmClock, readClockState } from '../../operate/clock-doubt.ts'
import { BEHIND_MS } from '../../operate/clock-watch.ts'
import { mayAct } from '../../operators/session.ts'
import { type Html, html } from '../../site/parts/html.ts'
import { ago, span, timeOf } from '../parts/format.ts'
import { type Fact, factList, notice } from '../parts/pieces.ts'
import type { Route } from '../parts/visit.ts'
import { type Lang, wordsOf } from '../parts/words.ts'

const words = wordsOf({
  title: ['Clock and retention', 'Đồng hồ và việc xoá dữ liệu cũ'],
  goes: [
    'Retention goes by the clock: old rows are deleted in their time.',
    'Việc xoá dữ liệu cũ theo đúng đồng hồ: dữ liệu được xoá khi hết hạn giữ.',
  ],
  waits: [
    'Retention waits: nothing is deleted, because a row that is deleted under a wrong clock is lost.',
    'Việc xoá dữ liệu cũ đang chờ: không có gì bị xoá, vì dữ liệu bị xoá khi đồng hồ sai thì không lấy lại được.',
  ],
  steady: [
    'It goes on by itself when the clock has been steady for 24 hours. Compare the time below with another clock; if it is right, confirm it, and retention goes on within a minute.',
    'Việc này tự tiếp tục khi đồng hồ chạy ổn định 24 giờ. Hãy so giờ dưới đây với một đồng hồ khác; nếu đúng, hãy xác nhận, và việc xoá tiếp tục trong vòng một phút.',
  ],
  behind: [
    'The clock is behind the newest payment. A hub that is not ready for its clock is ready within a minute of your confirmation.',
    'Đồng hồ chậm hơn giao dịch mới nhất. Hub chưa sẵn sàng vì đồng hồ sẽ sẵn sàng trong vòng một phút sau khi bạn xác nhận.',
  ],
  hubTime: ['Time of the hub', 'Giờ của hub'],
  newest: ['Newest payment', 'Giao dịch mới nhất'],
  since: ['Waits since', 'Chờ từ'],
  right: ['This time is right', 'Giờ này đúng'],
  onlyAdmin: ['An admin may confirm the clock.', 'Người quản trị có thể xác nhận đồng hồ.'],
  done: [
    'The clock is confirmed. Retention goes on within a minute.',
    'Đã xác nhận đồng hồ. Việc xoá dữ liệu cũ tiếp tục trong vòng một phút.',
  ],
})

/** How the clock has moved. */
function movedIn(lang: Lang, { why, jumpMs }: ClockDoubt): string {
  const by = span(Math.abs(jumpMs), lang)
  const isBack = jumpMs < 0
  if (lang === 'vi')
    return why === 'start'
      ? `Khi hub khởi động, đồng hồ ${isBack ? 'chậm hơn' : 'đi sau'} giao dịch mới nhất ${by}.`
      : `Đồng hồ đã bị chỉnh ${isBack ? 'lùi' : 'tới'} ${by}.`
  return why === 'start'
    ? `At a start of the hub the clock was ${by} ${isBack ? 'behind' : 'after'} the newest payment.`
    : `The clock was set ${isBack ? 'back' : 'forward'} by ${by}.`
}

/** Whether retention waits for the clock, why, and its confirmation. */
export const clockPage: readonly Route[] = [
  {
    method: 'GET',
    path: '/clock',
    role: 'viewer',
    async answer({ c, lang, now, storage, slices, who }) {
      const w = words(lang)
      const { doubt, confirmedUpTo } = await readClockState(storage.audit)
      const newestAt = await slices.run(who.id, () => storage.retention.newestReceivedAt())
      const isBehind = newestAt !== undefined && newestAt > Math.max(now + BEHIND_MS, confirmedUpTo)
      const times: Fact[] = [
        [w.hubTime, timeOf(now, lang)],
        [w.newest, timeOf(newestAt, lang)],
      ]
      if (doubt)
        times.push([
          w.since,
          html`${timeOf(doubt.since, lang)} <small>${ago(doubt.since, now, lang)}</small>`,
        ])
      const confirm = (): Html =>
        mayAct(who.role, 'admin')
          ? html`<form method="post" action="/clock/confirm"><button class="main">${w.right}</button></form>`
          : html`<p>${w.onlyAdmin}</p>`
      return {
        title: w.title,
        body: html`${c.req.query('done') === 'confirmed' ? notice(w.done) : ''}
<section class="panel">
${doubt ? html`<p class="warn"><strong>${w.waits}</strong></p><p>${movedIn(lang, doubt)} ${w.steady}</p>` : html`<p class="good">${w.goes}</p>`}
${isBehind ? html`<p class="warn">${w.behind}</p>` : ''}
${factList(times, { isPanel: false })}
${doubt || isBehind ? confirm() : ''}
</section>`,
      }
    },
  },
  {
    method: 'POST',
    path: '/clock/confirm',
    role: 'admin',
    async answer({ c, by, storage, clock }) {
      await confirmClock({ by, storage, clock })
      return c.redirect('/clock?done=confirmed', 303)
    },
  },
]
