import type { Say, Words } from '../../platform/language/words.ts'
import { deliveryChecker } from '../parts/delivery-checker.ts'
import { html } from '../parts/html.ts'
import type { Page } from '../parts/shell.ts'

/** What makes a right delivery look wrong, and what to do instead. */
const MISTAKES: readonly (readonly [mistake: Words, instead: Words])[] = [
  [
    {
      en: 'The body is parsed, and written anew before it is verified',
      vi: 'Phần thân bị phân tích rồi viết lại trước khi xác thực',
    },
    {
      en: 'Verify the bytes as they arrive: a framework must hand over the raw body.',
      vi: 'Hãy xác thực đúng các byte nhận được: framework phải đưa ra phần thân nguyên gốc.',
    },
  ],
  [
    { en: 'The text of the secret is the key', vi: 'Dùng nguyên văn khoá bí mật làm khoá' },
    {
      en: 'Remove whsec_ and decode the base64: the key is 32 bytes.',
      vi: 'Hãy bỏ whsec_ rồi giải mã base64: khoá dài 32 byte.',
    },
  ],
  [
    { en: 'The secret is that of another webhook', vi: 'Khoá bí mật là của webhook khác' },
    {
      en: 'Each has its own, and hub listen has one for each client and machine.',
      vi: 'Mỗi webhook có khoá riêng, còn hub listen có một khoá cho mỗi client trên mỗi máy.',
    },
  ],
  [
    {
      en: 'Only the first of two signatures is compared',
      vi: 'Chỉ so chữ ký đầu tiên trong hai chữ ký',
    },
    {
      en: 'For 24 hours after a rotation there are two, with a space between them. One must be right.',
      vi: 'Trong 24 giờ sau khi đổi khoá có hai chữ ký, cách nhau một dấu cách. Chỉ cần một chữ ký đúng.',
    },
  ],
  [
    { en: 'The clock of the server is wrong', vi: 'Đồng hồ của máy chủ sai' },
    {
      en: 'Let NTP set it: more than five minutes away, a delivery is refused.',
      vi: 'Hãy để NTP chỉnh đồng hồ: lệch quá năm phút, lượt gửi bị từ chối.',
    },
  ],
  [
    { en: 'A proxy drops or joins headers', vi: 'Proxy bỏ mất hoặc nối các header' },
    {
      en: 'It must leave webhook-id, webhook-timestamp and webhook-signature as they are.',
      vi: 'Proxy phải giữ nguyên webhook-id, webhook-timestamp và webhook-signature.',
    },
  ],
]

/** A checker that finds out why a delivery does not verify, and the rule of the signature. */
export function webhooksPage(say: Say): Page {
  const title = say({ en: 'Check a webhook', vi: 'Kiểm tra webhook' })
  return {
    title,
    description: say({
      en: 'A checker that verifies a webhook delivery and says what is wrong with it, and the rule.',
      vi: 'Công cụ xác thực một lượt gửi webhook và cho biết nó sai ở đâu, cùng với quy tắc.',
    }),
    styles: ['calculator.css', 'webhooks.css'],
    scripts: ['webhooks.js'],
    body: html`<main class="sheet" id="content">
  <p class="eyebrow">${say({ en: 'Tool', vi: 'Công cụ' })}</p>
  <h1>${title}</h1>
  <p class="lead">${say({
    en: 'Paste a delivery as your server, your log or curl shows it, and the secret. The checker verifies it as a receiver does, and says what is wrong. It runs in this page only. Nothing that you paste leaves it.',
    vi: 'Dán một lượt gửi đúng như máy chủ, nhật ký hay curl hiển thị, cùng với khoá bí mật. Công cụ xác thực như một chương trình nhận, và cho biết sai ở đâu. Công cụ chỉ chạy trong trang này. Những gì bạn dán không rời khỏi trang.',
  })}</p>

  <section aria-labelledby="checker">
    <h2 id="checker">${say({ en: 'Checker', vi: 'Công cụ kiểm tra' })}</h2>
    ${deliveryChecker(say)}
  </section>

  <section aria-labelledby="rule">
    <h2 id="rule">${say({ en: 'The rule', vi: 'Quy tắc' })}</h2>
    <p>${say({
      en: 'Deliveries follow Standard Webhooks 1.0.0, so its libraries verify them. By hand it is:',
      vi: 'Các lượt gửi tuân theo Standard Webhooks 1.0.0, nên thư viện của chuẩn này xác thực được. Nếu tự làm:',
    })}</p>
    <ol class="rule">
      <li>${say({
        en: html`Take <code>webhook-id</code>, <code>webhook-timestamp</code> and the body, byte by byte as they arrive, with a dot between them: <code>{id}.{timestamp}.{body}</code>.`,
        vi: html`Lấy <code>webhook-id</code>, <code>webhook-timestamp</code> và phần thân, đúng từng byte nhận được, nối bằng dấu chấm: <code>{id}.{timestamp}.{body}</code>.`,
      })}</li>
      <li>${say({
        en: html`The key is the base64 behind <code>whsec_</code>, decoded. Compute the HMAC-SHA256, write it as base64, and put <code>v1,</code> before it.`,
        vi: html`Khoá là phần base64 sau <code>whsec_</code>, đã giải mã. Tính HMAC-SHA256, viết thành base64, rồi thêm <code>v1,</code> vào trước.`,
      })}</li>
      <li>${say({
        en: html`Compare it in constant time with each signature of <code>webhook-signature</code>; spaces separate them. One must be equal.`,
        vi: html`So sánh trong thời gian không đổi (constant time) với từng chữ ký trong <code>webhook-signature</code>; các chữ ký cách nhau bằng dấu cách. Phải có một chữ ký trùng.`,
      })}</li>
      <li>${say({
        en: html`Refuse a <code>webhook-timestamp</code> that is more than five minutes away from your clock. It has seconds since 1970, and each attempt has its own.`,
        vi: html`Từ chối <code>webhook-timestamp</code> lệch quá năm phút so với đồng hồ của bạn. Giá trị là số giây kể từ năm 1970, và mỗi lần gửi có giá trị riêng.`,
      })}</li>
      <li>${say({
        en: html`Take each <code>webhook-id</code> once: a delivery may come again, also after your 204.`,
        vi: html`Chỉ xử lý mỗi <code>webhook-id</code> một lần: một lượt gửi có thể đến lần nữa, kể cả sau khi bạn đã trả lời 204.`,
      })}</li>
    </ol>
    <p>${say({
      en: html`<a href="/docs/quickstart#receive">The quickstart</a> has a receiver in seven languages that does this.`,
      vi: html`Trang <a href="/docs/quickstart#receive">Bắt đầu nhanh</a> có chương trình nhận bằng bảy ngôn ngữ lập trình làm đúng như vậy.`,
    })}</p>
  </section>

  <section aria-labelledby="mistakes">
    <h2 id="mistakes">${say({ en: 'The usual mistakes', vi: 'Các lỗi thường gặp' })}</h2>
    <ul class="pairs">${MISTAKES.map(([mistake, instead]) => html`<li><span>${say(mistake)}</span><span>${say(instead)}</span></li>`)}</ul>
  </section>
</main>`,
  }
}
