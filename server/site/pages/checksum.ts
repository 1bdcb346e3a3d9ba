import { CHECKSUM_FIELDS } from '../../payments/canonical-string.ts'
import { CLIENT_ID_AS_KEY, WRONG_KEYS, WRONG_RECIPES } from '../../payments/wrong-recipes.ts'
import type { Say } from '../../platform/language/words.ts'
import { calculator } from '../parts/calculator.ts'
import { html } from '../parts/html.ts'
import type { Page } from '../parts/shell.ts'

/** The rule of the checksum, with a calculator that finds mistakes. */
export function checksumPage(say: Say): Page {
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  const title = say({ en: 'The callback’s checksum', vi: 'Checksum của callback' })
  const fields = CHECKSUM_FIELDS.map((name, i) => html`${i === 0 ? '' : ', '}<code>${name}</code>`)
  return {
    title,
    description: say({
      en: 'How a payment callback is signed, and a calculator that finds the mistake in yours.',
      vi: 'Cách ký một callback báo thanh toán, và công cụ tính giúp tìm ra lỗi trong callback của bạn.',
    }),
    styles: ['calculator.css'],
    scripts: ['checksum.js'],
    body: html`<main class="sheet" id="content">
  <p class="eyebrow">${say({ en: 'Tool', vi: 'Công cụ' })}</p>
  <h1>${title}</h1>
  <p class="lead">${say({
    en: 'Sign your callback here and compare it with the result of your code: the calculator finds the first character that differs and names the mistake behind it. It runs in this page only. Nothing that you type leaves it.',
    vi: 'Ký callback của bạn tại đây rồi so với kết quả của chương trình của bạn: công cụ tính tìm ra ký tự khác đầu tiên và nêu tên lỗi gây ra nó. Công cụ chỉ chạy trong trang này. Những gì bạn gõ không rời khỏi trang.',
  })}</p>

  <section aria-labelledby="rule">
    <h2 id="rule">${say({ en: 'The rule', vi: 'Quy tắc' })}</h2>
    <ol class="rule">
      <li>${say({
        en: html`Take the eight fields in this order; an absent field or <code>null</code> is the empty string: ${fields}.`,
        vi: html`Lấy tám trường theo thứ tự này; trường không có hoặc <code>null</code> là chuỗi rỗng: ${fields}.`,
      })}</li>
      <li>${say({
        en: html`Write them form-urlencoded, as <code>name=value</code> joined by <code>&amp;</code>: letters, digits and <code>* - . _</code> stay unchanged, a space becomes <code>+</code>, every other byte of the UTF-8 becomes <code>%XX</code> in capitals.`,
        vi: html`Viết chúng theo form-urlencoded, dạng <code>name=value</code> nối bằng <code>&amp;</code>: chữ cái không dấu, chữ số và <code>* - . _</code> giữ nguyên, dấu cách thành <code>+</code>, mọi byte UTF-8 khác thành <code>%XX</code> viết hoa.`,
      })}</li>
      <li>${say({
        en: html`Compute the HMAC-SHA256 of that string with the client secret as the key. Send it as <code>checkSum</code> in hex of any case, base64 or base64url.`,
        vi: html`Tính HMAC-SHA256 của chuỗi đó với khoá bí mật (client secret) làm khoá. Gửi kết quả trong <code>checkSum</code> dưới dạng hex viết hoa hay thường, base64 hoặc base64url.`,
      })}</li>
    </ol>
    <p>${say({
      en: html`The hub also accepts the string with <code>payDate</code> as its <code>toISOString()</code>, because <code>JSON.stringify</code> writes a date like that.`,
      vi: html`Hub cũng chấp nhận chuỗi có <code>payDate</code> ở dạng <code>toISOString()</code>, vì <code>JSON.stringify</code> viết ngày giờ như thế.`,
    })}</p>
  </section>

  <section aria-labelledby="calculator">
    <h2 id="calculator">${say({ en: 'Calculator', vi: 'Công cụ tính' })}</h2>
    ${calculator(say)}
  </section>

  <section aria-labelledby="mistakes">
    <h2 id="mistakes">${say({ en: 'The usual mistakes', vi: 'Các lỗi thường gặp' })}</h2>
    <p>${say({
      en: html`The hub knows them too: if a refused checksum comes from one of these, <code>details</code> of the response (code <code>40014</code>) names it.`,
      vi: html`Hub cũng nhận ra chúng: nếu checksum bị từ chối vì một trong các lỗi này, <code>details</code> của câu trả lời (mã <code>40014</code>) nêu tên lỗi bằng tiếng Anh.`,
    })}</p>
    <ul class="pairs">${[...WRONG_RECIPES, ...WRONG_KEYS, CLIENT_ID_AS_KEY].map(
      ({ mistake, instead }) =>
        html`<li><span>${capital(say(mistake))}</span><span>${capital(say(instead))}.</span></li>`,
    )}</ul>
    <p>${say({
      en: html`Test your code with the <a href="/docs/assets/checksum-vectors.json">test vectors</a>: fields, string, hex and base64.`,
      vi: html`Kiểm thử chương trình của bạn với <a href="/docs/assets/checksum-vectors.json">bộ dữ liệu mẫu</a>: các trường, chuỗi, hex và base64.`,
    })}</p>
  </section>
</main>`,
  }
}
