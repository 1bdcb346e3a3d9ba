import type { Say } from '../../platform/language/words.ts'
import { callsOf, callTemplates } from '../parts/calls.ts'
import { html } from '../parts/html.ts'
import type { Page } from '../parts/shell.ts'

/**
 * The reference of all operations by Swagger UI, which has its own main landmark. The descriptions are those of the OpenAPI
 * document, in English.
 */
export async function referencePage(say: Say, document: object): Promise<Page> {
  const templates = callTemplates(say, await callsOf(document))
  return {
    title: say({ en: 'API reference', vi: 'Tra cứu API' }),
    description: say({
      en: 'Every operation of the partner API, to read and to try against this hub.',
      vi: 'Mọi thao tác của API cho đối tác, để đọc và gọi thử trên hub này.',
    }),
    styles: ['swagger-ui.css', 'code.css', 'reference.css'],
    scripts: ['swagger-ui-bundle.js', 'reference.js'],
    body: html`<div class="sheet reference" id="content">
  <p class="eyebrow">${say({ en: 'Reference', vi: 'Tra cứu' })}</p>
  <h1>${say({ en: 'Partner API', vi: 'API cho đối tác' })}</h1>
  <p class="lead"><label for="search">${say({ en: 'Search the operations', vi: 'Tìm thao tác' })}</label> <input type="search" id="search" placeholder="payment, webhook, 40014 …" autocomplete="off" spellcheck="false"> <span id="found" role="status"></span></p>
  ${say({ en: html``, vi: html`<p>Mô tả các thao tác và các trường dưới đây bằng tiếng Anh, đúng như trong tệp OpenAPI; hãy tìm bằng từ tiếng Anh hoặc mã lỗi.</p>` })}
  <div id="reference"></div>
  <h2>${say({ en: 'Try it, and call it from a program', vi: 'Gọi thử, và gọi từ chương trình' })}</h2>
  <p>${say({
    en: html`You can try every operation here, against this hub. Run <em>Get access token</em> first: the other operations then use its token. Or press <em>Authorize</em> and paste one. The examples of the payment callback are signed with a secret that is not yours; <a href="/docs/checksum">the checksum calculator</a> signs them with yours.`,
    vi: html`Bạn có thể gọi thử mọi thao tác tại đây, trên chính hub này. Hãy chạy <em lang="en">Get access token</em> trước: các thao tác khác sau đó dùng token của nó. Hoặc bấm <em>Nhập token</em> rồi dán token vào. Các ví dụ của callback báo thanh toán được ký bằng một khoá bí mật không phải của bạn; <a href="/docs/checksum">công cụ tính checksum</a> ký chúng bằng khoá của bạn.`,
  })}</p>
  <p>${say({
    en: html`In the samples, <code>HUB</code> is the address of this hub, <code>TOKEN</code> an access token, and <code>hub</code> the client of <code>clients/typescript</code> in the hub's repository; <a href="/docs/quickstart">the quickstart</a> makes one.`,
    vi: html`Trong các mẫu, <code>HUB</code> là địa chỉ của hub này, <code>TOKEN</code> là access token, và <code>hub</code> là client trong <code>clients/typescript</code> của kho mã hub; trang <a href="/docs/quickstart">Bắt đầu nhanh</a> tạo ra client đó.`,
  })}</p>

  ${templates}
  <noscript><p>${say({
    en: html`This page needs JavaScript. <a href="/openapi.json">The OpenAPI file</a> has the same content for other tools.`,
    vi: html`Trang này cần JavaScript. <a href="/openapi.json">Tệp OpenAPI</a> có cùng nội dung cho các công cụ khác.`,
  })}</p></noscript>
</div>`,
  }
}
