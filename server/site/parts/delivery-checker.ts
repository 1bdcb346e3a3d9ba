import type { Say } from '../../platform/language/words.ts'
import { type Html, html } from './html.ts'
import { QUIET, result } from './result.ts'

/** The checker of webhook deliveries; `browser/delivery/checker.ts` fills in an example and makes it interactive. */
export function deliveryChecker(say: Say): Html {
  const content = say({ en: 'Content to sign', vi: 'Nội dung cần ký' })
  return html`<div class="calculator needs-scripts"><div class="calc-parts">
  <div class="calc-part">
    <h3>${say({ en: 'The delivery', vi: 'Lượt gửi' })}</h3>
    <div class="field wide">
      <label for="delivery-text">${say({ en: 'Its three headers and its body', vi: 'Ba header và phần thân' })}</label>
      <textarea id="delivery-text" class="delivery-text" rows="14" ${QUIET} aria-describedby="delivery-help"></textarea>
      <p class="delivery-help" id="delivery-help">${say({
        en: html`Raw HTTP, <code>curl -v</code>, a curl command, JSON or lines of a log.`,
        vi: html`HTTP nguyên gốc, <code>curl -v</code>, một lệnh curl, JSON hoặc các dòng nhật ký.`,
      })}</p>
    </div>
    <div class="field wide">
      <label for="delivery-secret">${say({ en: 'Secret of the webhook', vi: 'Khoá bí mật của webhook' })}</label>
      <input id="delivery-secret" type="text" ${QUIET} placeholder="whsec_…">
    </div>
  </div>
  <div class="calc-part">
    <h3>${say({ en: 'What a receiver says', vi: 'Chương trình nhận cho biết' })}</h3>
    <p class="verdict" id="delivery-verdict" role="status"></p>
    <ul class="findings" id="delivery-findings"></ul>
  </div>
  <div class="calc-part calc-yours">
    <h3>${say({ en: 'Your code', vi: 'Chương trình của bạn' })}</h3>
    ${result(say, 'delivery-content', html`${content} <span class="muted">{id}.{timestamp}.{body}</span>`)}
    ${result(say, 'delivery-signature', say({ en: 'Its signature with this secret', vi: 'Chữ ký của nội dung đó với khoá bí mật này' }))}
    <div class="field wide">
      <label for="delivery-own">${say({ en: 'The signature that your code computes', vi: 'Chữ ký mà chương trình của bạn tính ra' })}</label>
      <input id="delivery-own" type="text" ${QUIET} placeholder="v1,…">
      <p class="verdict" id="delivery-own-verdict" role="status"></p>
    </div>
  </div>
</div></div>
<p class="only-without-scripts">${say({
    en: html`The checker needs JavaScript. Without it, a library of <cite>standardwebhooks.com</cite> tells whether a delivery is right, and not why it is wrong.`,
    vi: html`Công cụ kiểm tra cần JavaScript. Nếu không có, một thư viện của <cite>standardwebhooks.com</cite> cho biết lượt gửi có đúng hay không, nhưng không cho biết vì sao sai.`,
  })}</p>`
}
