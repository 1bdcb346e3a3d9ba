import type { Say } from '../../platform/language/words.ts'
import { codeBlock } from '../parts/code.ts'
import { type Html, html } from '../parts/html.ts'
import { DAY, DAY_REQUEST, SAVE_PROFILE, SIGN, STATEMENT_PATH, UPLOAD_REQUEST } from '../steps/reconcile.ts'
import type { Refusals } from '../steps/requests.ts'
import { answerTitle } from './answer-title.ts'
import { heading, type NumberedStep } from './quickstart-webhooks.ts'
import { refusalList } from './refusals.ts'

export const RECONCILE: NumberedStep = {
  name: 'reconcile',
  number: 8,
  title: { en: 'The day against the bank', vi: 'Đối soát ngày với ngân hàng' },
}

/** What `UPLOAD_REQUEST` is often refused for. */
export const UPLOAD_REFUSALS: Refusals = {
  STATEMENT_UNREADABLE: {
    en: html`<code>details</code> has the line and the reason. Nothing was imported: correct the file or the profile.`,
    vi: html`<code>details</code> có số dòng và lý do. Chưa nhập gì: hãy sửa tệp hoặc mẫu.`,
  },
  STATEMENT_KNOWN: {
    en: html`This file was imported before; <code>details</code> has the <code>id</code> of its statement.`,
    vi: html`Tệp này đã được nhập trước đây; <code>details</code> có <code>id</code> của sao kê đó.`,
  },
}

/** The section about reconciliation, which follows the webhooks. */
export function reconcileStep(say: Say): Html {
  return html`${heading(say, RECONCILE)}
  <p class="endpoint"><span class="method">POST</span> <code>${STATEMENT_PATH}</code></p>
  <p>${say({
    en: html`The bank’s statement says which money has come. A profile tells the hub how your bank writes its CSV; <code>camt.053</code> needs none. On a hub that somebody runs for you, its operator saves the profile and tells you its name.`,
    vi: html`Sao kê của ngân hàng cho biết tiền nào đã đến. Mẫu (profile) cho hub biết ngân hàng của bạn ghi tệp CSV thế nào; <code>camt.053</code> không cần mẫu. Nếu có đơn vị vận hành hub cho bạn, họ lưu mẫu và cho bạn biết tên mẫu.`,
  })}</p>
  ${codeBlock(say, 'reconcile-profile', say({ en: 'In the repository', vi: 'Trong thư mục mã nguồn' }), 'sh', SAVE_PROFILE)}
  <p>${say({
    en: html`Upload the statement. Copy the <code>id</code> of the answer into <a href="#values">your values</a>.`,
    vi: html`Tải sao kê lên. Chép <code>id</code> của câu trả lời vào <a href="#values">giá trị của bạn</a>.`,
  })}</p>
  ${codeBlock(say, 'reconcile-request', 'curl', 'sh', UPLOAD_REQUEST)}
  ${refusalList(say, UPLOAD_REFUSALS)}
  <h3>${say({ en: 'Look at the buckets', vi: 'Xem các nhóm' })}</h3>
  <p>${say({
    en: html`Each row is in one bucket: <code>matched</code>, or what somebody has to look at, as <code>differs</code> and <code>bank_only</code>. <code>hub_only</code> has the payments that no row has.`,
    vi: html`Mỗi dòng thuộc đúng một nhóm: <code>matched</code> (khớp), hoặc nhóm cần người xem, như <code>differs</code> (lệch số tiền) và <code>bank_only</code> (chỉ ngân hàng có). <code>hub_only</code> gồm những khoản thanh toán mà không dòng nào có.`,
  })}</p>
  ${codeBlock(say, 'reconcile-day', 'curl', 'sh', DAY_REQUEST)}
  ${codeBlock(say, 'reconcile-answer', answerTitle(say, 200), 'sh', DAY)}
  <p>${say({
    en: html`The operator decides the open rows and signs off, here or in the console. Counts, sums and a hash are kept for ever. What is not balanced needs a <code>--note</code>.`,
    vi: html`Người vận hành quyết định những dòng còn mở rồi ký xác nhận, tại đây hoặc trong bảng điều khiển. Số lượng, tổng tiền và mã băm được lưu vĩnh viễn. Khi chưa cân đối thì cần <code>--note</code>.`,
  })}</p>
  ${codeBlock(say, 'reconcile-sign', say({ en: 'Sign off', vi: 'Ký xác nhận' }), 'sh', SIGN)}
</section>`
}
