import { afterCallback } from '../../http/errors/after-callback.ts'
import type { Say } from '../../platform/language/words.ts'
import { calculator, EXAMPLE } from '../parts/calculator.ts'
import { codeBlock, codeTabs, readProcessors, readSamples } from '../parts/code.ts'
import { type Html, html } from '../parts/html.ts'
import type { Page } from '../parts/shell.ts'
import { valuesPanel } from '../parts/values.ts'
import { PREPARATION, PROOF, PROOF_REQUEST, REFRESH_REQUEST } from '../steps/proof.ts'
import { SAMPLE_PAYMENT, STEPS, type Step } from '../steps/requests.ts'
import { answerTitle } from './answer-title.ts'
import { RECONCILE, reconcileStep } from './quickstart-reconcile.ts'
import { WEBHOOK_STEPS, watching, webhookSteps } from './quickstart-webhooks.ts'
import { refusalList } from './refusals.ts'

const BEFORE = { en: 'Before you start', vi: 'Trước khi bắt đầu' }
const THE_PROOF = { en: 'The proof', vi: 'Bằng chứng' }
const LIVE = { en: 'Going live', vi: 'Đưa vào chạy thật' }

/** The steps from nothing to the first announced payment. */
export async function quickstartPage(say: Say): Promise<Page> {
  const steps = await Promise.all(STEPS.map((step, i) => section(say, step, i + 1)))
  const title = say({ en: 'Quickstart', vi: 'Bắt đầu nhanh' })
  return {
    title,
    description: say({
      en: 'From nothing to the first announced payment and the first webhook.',
      vi: 'Từ con số không đến khoản thanh toán đầu tiên được loa đọc và webhook đầu tiên.',
    }),
    styles: ['code.css', 'calculator.css', 'quickstart.css'],
    scripts: ['quickstart.js'],
    body: html`<div class="columns">
${contents(say)}
<main id="content">
  <div class="intro">
    <p class="eyebrow">${title}</p>
    <h1>${say({ en: 'Your first announced payment', vi: 'Khoản thanh toán đầu tiên được loa đọc' })}</h1>
    <p class="lead">${say({
      en: 'Five requests lead from a client id to a speaker that announces a payment; a sixth proves that it was heard. It takes about ten minutes, and the first webhook comes after three.',
      vi: 'Năm yêu cầu đưa bạn từ một client id đến một chiếc loa đọc khoản thanh toán; yêu cầu thứ sáu chứng minh loa đã đọc. Tất cả mất khoảng mười phút, và webhook đầu tiên đến sau ba phút.',
    })}</p>
    ${await preparation(say)}
  </div>
  ${valuesPanel(say)}
  <div class="steps">${steps}${proof(say)}${await webhookSteps(say)}${reconcileStep(say)}${await goingLive(say)}</div>
</main>
</div>`,
  }
}

function contents(say: Say): Html {
  const here = say({ en: 'On this page', vi: 'Trong trang này' })
  const entry = (name: string, sign: string | number, title: string) =>
    html`<li><a href="#${name}"><span class="contents-number">${sign}</span>${title}</a></li>`
  return html`<nav class="contents" aria-label="${here}">
  <p>${here}</p>
  <ol>
    ${entry('before', 0, say(BEFORE))}
    ${STEPS.map(({ name, title }, i) => entry(name, i + 1, say(title)))}
    ${entry('proof', '✓', say(THE_PROOF))}
    ${[...WEBHOOK_STEPS, RECONCILE].map(({ name, number, title }) => entry(name, number, say(title)))}
    ${entry('live', '→', say(LIVE))}
  </ol>
</nav>`
}

async function preparation(say: Say): Promise<Html> {
  const title = say({ en: 'In the repository', vi: 'Trong thư mục mã nguồn' })
  const label = say({ en: 'Language of the shared file', vi: 'Ngôn ngữ lập trình của tệp dùng chung' })
  return html`<section class="before" id="before" aria-labelledby="before-title">
  <h2 id="before-title">${say(BEFORE)}</h2>
  <p>${say({
    en: 'Start a hub and a simulated speaker, each in its own terminal, and create a partner. You only need git and Node.js 20 or newer with npm. If somebody runs a hub for you, ask them for a client id, a client secret and a serial instead.',
    vi: 'Khởi động một hub và một loa mô phỏng, mỗi thứ trong một cửa sổ dòng lệnh, rồi tạo một đối tác. Bạn chỉ cần git và Node.js 20 trở lên kèm npm. Nếu có đơn vị vận hành hub cho bạn, hãy xin họ client id, khoá bí mật (client secret) và số serial của loa.',
  })}</p>
  ${codeBlock(say, 'prepare', title, 'sh', PREPARATION)}
  <p>${say({
    en: html`In a hurry? <code>npm run demo</code> does all of this by itself, in one terminal.`,
    vi: html`Đang vội? <code>npm run demo</code> tự làm tất cả những việc này, trong một cửa sổ dòng lệnh.`,
  })}</p>
  <p>${say({
    en: 'The requests below are whole commands for curl. In another language, first save the file that they share. TypeScript uses a client of the hub, which its first lines install:',
    vi: 'Các yêu cầu dưới đây là những lệnh curl hoàn chỉnh. Với ngôn ngữ khác, trước hết hãy lưu tệp mà các mẫu dùng chung. TypeScript dùng client của hub, được cài bằng những dòng đầu tiên của tệp:',
  })}</p>
  ${codeTabs(say, 'hub-file', label, await readSamples('hub'))}
  ${watching(say)}
</section>`
}

async function section(say: Say, step: Step, number: number): Promise<Html> {
  const { name, sample, path, text, status, answer, refusals, next } = step
  const title = say(step.title)
  const label = say({ en: 'Language of the request', vi: 'Ngôn ngữ lập trình của yêu cầu' })
  return html`<section class="step" id="${name}" aria-labelledby="${name}-title">
  <h2 id="${name}-title"><span class="step-number" aria-hidden="true">${number}</span>${title}</h2>
  <p class="endpoint"><span class="method">POST</span> <code>${path}</code></p>
  ${say(text)}
  ${codeTabs(say, `${name}-request`, `${label}: ${title}`, await readSamples(sample))}
  ${codeBlock(say, `${name}-answer`, answerTitle(say, status), 'json', JSON.stringify(answer, null, 2))}
  ${refusalList(say, refusals)}
  <p class="next">${say(next)}</p>
  ${name === 'callback' ? checksumHelp(say) : ''}
</section>`
}

function checksumHelp(say: Say): Html {
  return html`<section class="checksum" id="checksum" aria-labelledby="checksum-title">
    <h3 id="checksum-title">${say({ en: 'Check your checksum', vi: 'Kiểm tra checksum của bạn' })}</h3>
    <p>${say({
      en: html`Sign the callback here and compare. The calculator runs in this page; nothing that you type leaves it. Read more on <a href="/docs/checksum">its own page</a>.`,
      vi: html`Ký callback tại đây rồi so sánh. Công cụ tính chạy trong trang này; những gì bạn gõ không rời khỏi trang. Xem thêm ở <a href="/docs/checksum">trang riêng của công cụ</a>.`,
    })}</p>
    ${calculator(say, { secret: '', fields: { ...EXAMPLE.fields, ...SAMPLE_PAYMENT } })}
  </section>`
}

/** What a processor does after each answer to a callback. */
function afterCallbackTable(say: Say): Html {
  const rows = afterCallback(say).map(
    ({ answer, error, meaning, next, todo }) => html`<tr data-next="${next}">
        <th scope="row">${inline(answer)}${error === undefined ? '' : html` <span class="error-name">${error}</span>`}</th>
        <td><p>${inline(todo)}</p><p class="meaning">${inline(meaning)}</p></td>
      </tr>`,
  )
  return html`<table class="repeats" id="after-callback">
    <caption>${say({ en: 'After a callback', vi: 'Sau một callback' })}</caption>
    <thead><tr><th scope="col">${say({ en: 'Response', vi: 'Câu trả lời' })}</th><th scope="col">${say({ en: 'What to do', vi: 'Việc cần làm' })}</th></tr></thead>
    <tbody>${rows}</tbody>
  </table>
  <p>${say({
    en: html`The request for a token goes by the same table. There, <code>42902</code> means that the secret is wrong, because the right one is never refused: stop and look.`,
    vi: html`Yêu cầu lấy token cũng theo bảng này. Ở đó, <code>42902</code> nghĩa là khoá bí mật sai, vì khoá đúng không bao giờ bị từ chối: hãy dừng lại và kiểm tra.`,
  })}</p>`
}

/** A text whose words in backticks are code. */
function inline(text: string): Html[] {
  return text.split('`').map((part, i) => (i % 2 ? html`<code>${part}</code>` : html`${part}`))
}

function proof(say: Say): Html {
  const refusal = {
    en: html`No payment of yours has this <code>ftCode</code>. Was the response of step 5 a 200?`,
    vi: html`Không có khoản thanh toán nào của bạn mang <code>ftCode</code> này. Câu trả lời ở bước 5 có phải là 200 không?`,
  }
  return html`<section class="step" id="proof" aria-labelledby="proof-title">
  <h2 id="proof-title"><span class="step-number" aria-hidden="true">✓</span>${say(THE_PROOF)}</h2>
  <p class="endpoint"><span class="method get">GET</span> <code>/api/v1/partner/payment/transactions/{ftCode}</code></p>
  <p>${say({
    en: html`Not “sent”, but <code>played</code>. Every speaker of the store reports when it has received the announcement and when it has spoken it, and the hub stores the time of each stage. You get them by <code>ftCode</code>; a payment without one is found by a search for its <code>id</code> or its <code>traceTransfer</code>.`,
    vi: html`Không phải “đã gửi”, mà là <code>played</code> (đã đọc). Mỗi loa của cửa hàng báo lúc nhận được câu thông báo và lúc đọc xong, và hub lưu thời điểm của từng chặng. Bạn lấy chúng theo <code>ftCode</code>; khoản thanh toán không có mã này thì tìm theo <code>id</code> hoặc <code>traceTransfer</code>.`,
  })}</p>
  ${codeBlock(say, 'proof-request', 'curl', 'sh', PROOF_REQUEST)}
  ${codeBlock(say, 'proof-answer', answerTitle(say, 200), 'json', JSON.stringify(PROOF, null, 2))}
  <dl class="stages">
    <dt><code>queued</code> <code>sent</code> <code>received</code></dt><dd>${say({
      en: 'On its way. An offline speaker gets it when it is back within two minutes.',
      vi: 'Đang trên đường. Loa mất kết nối nhận được câu thông báo nếu kết nối lại trong vòng hai phút.',
    })}</dd>
    <dt><code>played</code></dt><dd>${say({ en: 'It was spoken, once.', vi: 'Loa đã đọc, đúng một lần.' })}</dd>
    <dt><code>delivered</code></dt><dd>${say({
      en: 'A speaker of another maker has it, and does not say whether it has sounded.',
      vi: 'Loa của hãng khác đã nhận, nhưng không báo là đã phát.',
    })}</dd>
    <dt><code>expired</code></dt><dd>${say({
      en: 'It was too late to be spoken: the screen shows it as missed, with the sum.',
      vi: 'Đã quá muộn để đọc: màn hình ghi là bị nhỡ, kèm tổng số tiền.',
    })}</dd>
    <dt><code>suppressed</code></dt><dd>${say({
      en: html`The speaker is locked (<code>active: false</code>) and stays silent.`,
      vi: html`Loa đang bị khoá (<code>active: false</code>) và im lặng.`,
    })}</dd>
    <dt><code>failed</code></dt><dd>${say({
      en: html`The speaker could not play it; <code>reason</code> says why.`,
      vi: html`Loa không phát được; <code>reason</code> cho biết vì sao.`,
    })}</dd>
  </dl>
  ${refusalList(say, { TRANSACTION_NOT_FOUND: refusal })}
</section>`
}

async function goingLive(say: Say): Promise<Html> {
  return html`<section class="step" id="live" aria-labelledby="live-title">
  <h2 id="live-title"><span class="step-number" aria-hidden="true">→</span>${say(LIVE)}</h2>
  ${advice(say)}
  ${codeBlock(say, 'refresh-request', say({ en: 'Refresh, in curl', vi: 'Làm mới token, bằng curl' }), 'sh', REFRESH_REQUEST)}
  ${afterCallbackTable(say)}
  <h3>${say({ en: 'A processor that loses nothing', vi: 'Chương trình xử lý thanh toán không làm mất gì' })}</h3>
  <p>${say({
    en: 'This program keeps each payment in a folder until the hub has it, and does what the table says: through dead tokens, limits, and a hub or a storage that is away. It uses the file that the samples share. In another language, write the same.',
    vi: 'Chương trình này giữ từng khoản thanh toán trong một thư mục cho đến khi hub đã nhận, và làm đúng như bảng trên: khi token hết hiệu lực, khi bị giới hạn, khi hub hoặc kho dữ liệu không liên lạc được. Nó dùng tệp mà các mẫu dùng chung. Với ngôn ngữ khác, hãy viết tương tự.',
  })}</p>
  ${codeTabs(say, 'processor-program', say({ en: 'Language of the processor', vi: 'Ngôn ngữ lập trình của chương trình xử lý' }), await readProcessors())}
  <p>${say({
    en: html`All operations, fields and limits are in the <a href="/docs">API reference</a>; code generators read the <a href="/openapi.json">OpenAPI file</a>.`,
    vi: html`Mọi thao tác, trường và giới hạn có trong trang <a href="/docs">Tra cứu API</a>; công cụ sinh mã đọc <a href="/openapi.json">tệp OpenAPI</a>.`,
  })}</p>
</section>`
}

function advice(say: Say): Html {
  return html`<ul class="advice">
    <li>${say({
      en: html`<strong>Keep the secret on your server.</strong> It is the key of every callback: anyone who has it can report payments.`,
      vi: html`<strong>Giữ khoá bí mật trên máy chủ của bạn.</strong> Đó là khoá của mọi callback: ai có nó đều có thể báo khoản thanh toán.`,
    })}</li>
    <li>${say({
      en: html`<strong>Change the secret without a gap.</strong> <code>npm run -s hub -- partner rotate-secret CLIENT_ID</code> prints a new one; give it to your server. The old one works until <code>oldSecretExpiresAt</code>, for logins and signatures. At most two work at a time: a second rotation ends the oldest at once.`,
      vi: html`<strong>Đổi khoá bí mật không gián đoạn.</strong> Lệnh <code>npm run -s hub -- partner rotate-secret CLIENT_ID</code> in ra khoá mới; hãy đưa nó cho máy chủ của bạn. Khoá cũ vẫn dùng được đến <code>oldSecretExpiresAt</code>, để đăng nhập và để ký. Cùng lúc có nhiều nhất hai khoá dùng được: đổi lần thứ hai thì khoá cũ nhất hết hiệu lực ngay.`,
    })}</li>
    <li>${say({
      en: html`<strong>Refresh before the hour is over</strong>, or on <code>40102</code>. The response contains a new refresh token: keep the newest. The old one works for 60 more seconds, or until the new one is used, so that you can retry after a lost response; using it later revokes them all.`,
      vi: html`<strong>Làm mới token trước khi hết một giờ</strong>, hoặc khi nhận <code>40102</code>. Câu trả lời có refresh token mới: hãy giữ cái mới nhất. Cái cũ còn dùng được thêm 60 giây, hoặc cho đến khi cái mới được dùng, để bạn thử lại khi mất câu trả lời; dùng nó muộn hơn thì tất cả bị thu hồi.`,
    })}</li>
    <li>${say({
      en: html`<strong>Repeat a callback by its response</strong>, as the table shows, and keep the payment until then. A callback that is accepted is never rate-limited, and one that is repeated is counted and spoken once.`,
      vi: html`<strong>Gửi lại callback tuỳ theo câu trả lời</strong>, như trong bảng, và giữ khoản thanh toán cho đến khi xong. Callback được chấp nhận không bao giờ bị giới hạn tần suất, và callback gửi lại chỉ được tính và đọc một lần.`,
    })}</li>
    <li>${say({
      en: html`<strong>Log the <code>X-Request-Id</code></strong> of every response. It identifies the line in the hub’s log.`,
      vi: html`<strong>Ghi <code>X-Request-Id</code></strong> của mọi câu trả lời vào nhật ký. Nó xác định dòng tương ứng trong nhật ký của hub.`,
    })}</li>
  </ul>`
}
