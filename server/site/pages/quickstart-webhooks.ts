import type { Say, Words } from '../../platform/language/words.ts'
import { codeBlock, codeTabs, readSamples } from '../parts/code.ts'
import { type Html, html } from '../parts/html.ts'
import type { Refusals } from '../steps/requests.ts'
import { CREATE_PATH, CREATE_REQUEST, CREATED, TEST_REQUEST, TRY, WATCH } from '../steps/webhooks.ts'
import { answerTitle } from './answer-title.ts'
import { refusalList } from './refusals.ts'

/** A step behind the requests of the first payment. */
export interface NumberedStep {
  name: string
  number: number
  title: Words
}

const RECEIVE: NumberedStep = {
  name: 'receive',
  number: 6,
  title: { en: 'Receive webhooks', vi: 'Nhận webhook' },
}
const PRODUCTION: NumberedStep = {
  name: 'webhook',
  number: 7,
  title: { en: 'Webhooks in production', vi: 'Webhook khi chạy thật' },
}
/** The steps about webhooks, which follow the proof. */
export const WEBHOOK_STEPS = [RECEIVE, PRODUCTION]

/** What `CREATE_REQUEST` is often refused for. */
export const CREATE_REFUSALS: Refusals = {
  WEBHOOK_URL_REFUSED: {
    en: html`The address must be <code>https</code> and public; <code>details</code> says what is wrong with it. For an endpoint in the hub’s own network, ask its operator for <code>HUB_WEBHOOK_ALLOW</code>.`,
    vi: html`Địa chỉ phải là <code>https</code> và công khai; <code>details</code> cho biết nó sai ở đâu. Với endpoint trong mạng riêng của hub, hãy đề nghị đơn vị vận hành hub đặt <code>HUB_WEBHOOK_ALLOW</code>.`,
  },
  WEBHOOK_LIMIT: {
    en: 'You have 10 webhooks. Delete one first.',
    vi: 'Bạn đã có 10 webhook. Hãy xoá bớt một webhook trước.',
  },
  VALIDATION_FAILED: {
    en: html`<code>details</code> names the field. Leave <code>types</code> out to get all events.`,
    vi: html`<code>details</code> nêu tên trường. Bỏ <code>types</code> để nhận mọi sự kiện.`,
  },
}

/** For the preparation: the first webhook comes while the reader goes on. */
export function watching(say: Say): Html {
  const title = say({ en: 'In two more terminals', vi: 'Trong hai cửa sổ dòng lệnh nữa' })
  return html`<h3>${say({ en: 'The first webhook in three minutes', vi: 'Webhook đầu tiên sau ba phút' })}</h3>
  <p>${say({
    en: html`Webhooks need no endpoint and no tunnel while you try: <code>hub listen</code> sends them to a program on your machine. With these two commands running, each in its own terminal, the first one comes in step 3.`,
    vi: html`Khi thử, webhook không cần endpoint hay đường hầm (tunnel): <code>hub listen</code> gửi chúng đến một chương trình trên máy của bạn. Khi hai lệnh này đang chạy, mỗi lệnh trong một cửa sổ dòng lệnh, webhook đầu tiên đến ở bước 3.`,
  })}</p>
  ${codeBlock(say, 'watch', title, 'sh', WATCH)}`
}

export async function webhookSteps(say: Say): Promise<Html> {
  return html`${await receiving(say)}${production(say)}`
}

async function receiving(say: Say): Promise<Html> {
  const language = say({ en: 'Language of the receiver', vi: 'Ngôn ngữ lập trình của chương trình nhận' })
  const again = say({ en: 'Again', vi: 'Gửi lại' })
  return html`${heading(say, RECEIVE)}
  <p>${say({
    en: html`Everything that happens to your payments and speakers is an event: a payment, a paid bill, the end of each announcement, a speaker that goes offline. A webhook sends each event to your server, signed by <em>Standard Webhooks</em>. This receiver verifies the signature and the time, takes each event once, and answers <code>204</code>. It needs no package, except in TypeScript, where it needs that of the client. Save it, and start it as its second or third line says.`,
    vi: html`Mọi điều xảy ra với các khoản thanh toán và loa của bạn đều là sự kiện: một khoản thanh toán, một hoá đơn đã được trả, kết thúc của mỗi câu thông báo, một loa mất kết nối. Webhook gửi từng sự kiện đến máy chủ của bạn, ký theo <em lang="en">Standard Webhooks</em>. Chương trình nhận này xác thực chữ ký và thời gian, xử lý mỗi sự kiện một lần, và trả lời <code>204</code>. Nó không cần gói nào, trừ bản TypeScript cần gói của client. Hãy lưu lại, rồi khởi động như dòng thứ hai hoặc thứ ba của nó hướng dẫn.`,
  })}</p>
  ${codeTabs(say, 'receive-program', `${language}: ${say(RECEIVE.title)}`, await readSamples('receive'), { sh: 'Shell' })}
  ${codeBlock(say, 'receive-try', say({ en: 'Try it', vi: 'Chạy thử' }), 'sh', TRY)}
  <p>${say({
    en: html`<code>hub listen</code> signs by the same secret at each start. It says what your receiver has answered, and repeats nothing.`,
    vi: html`Mỗi lần khởi động, <code>hub listen</code> ký bằng cùng một khoá bí mật. Nó cho biết chương trình nhận của bạn đã trả lời gì, và không gửi lại.`,
  })}</p>
  <dl class="stages">
    <dt><code>2xx</code></dt><dd>${say({
      en: 'You have it. Answer within 15 seconds, and work afterwards.',
      vi: 'Bạn đã nhận. Hãy trả lời trong vòng 15 giây, rồi mới xử lý.',
    })}</dd>
    <dt><code>400</code> <code>401</code></dt><dd>${say({
      en: html`Your answers to what is incomplete, forged or old. When a true one gets them, paste it into <a href="/docs/webhooks">the checker</a>: it says why.`,
      vi: html`Câu trả lời của bạn cho những gì thiếu, giả mạo hoặc đã cũ. Nếu một webhook thật nhận các mã này, hãy dán nó vào <a href="/docs/webhooks">công cụ kiểm tra</a> để biết vì sao.`,
    })}</dd>
    <dt>${again}</dt><dd>${say({
      en: html`An event comes at least once. <code>webhook-id</code> is the same each time: store it with what you have made of the event.`,
      vi: html`Mỗi sự kiện đến ít nhất một lần. <code>webhook-id</code> lần nào cũng như nhau: hãy lưu nó cùng với kết quả bạn xử lý sự kiện.`,
    })}</dd>
    <dt>${say({ en: 'Order', vi: 'Thứ tự' })}</dt><dd>${say({
      en: html`Is not promised; <code>seq</code> of the event tells it.`,
      vi: html`Không được bảo đảm; <code>seq</code> của sự kiện cho biết thứ tự.`,
    })}</dd>
  </dl>
  <p class="next">${say({
    en: html`It runs. Put it behind a public <code>https</code> address.`,
    vi: html`Chương trình đã chạy. Hãy đặt nó sau một địa chỉ <code>https</code> công khai.`,
  })}</p>
</section>`
}

function production(say: Say): Html {
  return html`${heading(say, PRODUCTION)}
  <p class="endpoint"><span class="method">POST</span> <code>${CREATE_PATH}</code></p>
  <p>${say({
    en: html`The hub sends your events to this address from now on: all of them, or those of the <code>types</code> that you name. The secret is in this response only. Give it to your receiver.`,
    vi: html`Từ lúc này hub gửi các sự kiện của bạn đến địa chỉ này: tất cả, hoặc những loại bạn nêu trong <code>types</code>. Khoá bí mật chỉ có trong câu trả lời này. Hãy đưa nó cho chương trình nhận của bạn.`,
  })}</p>
  ${codeBlock(say, 'webhook-request', 'curl', 'sh', CREATE_REQUEST)}
  ${codeBlock(say, 'webhook-answer', answerTitle(say, 201), 'json', JSON.stringify(CREATED, null, 2))}
  ${refusalList(say, CREATE_REFUSALS)}
  <h3>${say({ en: 'See it arrive', vi: 'Xem webhook đến nơi' })}</h3>
  <p>${say({
    en: html`Ask for a <code>webhook.test</code>, and see what became of it. <code>id</code> is that of the answer above.`,
    vi: html`Yêu cầu một sự kiện <code>webhook.test</code>, rồi xem kết quả gửi. <code>id</code> lấy từ câu trả lời ở trên.`,
  })}</p>
  ${codeBlock(say, 'webhook-test', 'curl', 'sh', TEST_REQUEST)}
  <ul class="advice">
    <li>${say({
      en: html`<strong>A failure is tried again</strong> after 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each 10 % more or less. With <code>429</code>, <code>502</code>, <code>503</code> or <code>504</code> the hub waits as long as your <code>Retry-After</code> says, up to 24 hours.`,
      vi: html`<strong>Gửi hỏng thì gửi lại</strong> sau 5 giây, 1 phút, 5 phút, 30 phút, 2 giờ, 5 giờ, 10 giờ, 14 giờ, 20 giờ và 24 giờ, mỗi lần xê dịch 10 %. Với <code>429</code>, <code>502</code>, <code>503</code> hoặc <code>504</code>, hub chờ đúng như <code>Retry-After</code> của bạn, tối đa 24 giờ.`,
    })}</li>
    <li>${say({
      en: html`<strong>Redirects are failures.</strong> <code>410</code> disables the webhook, and so do five days with failures only.`,
      vi: html`<strong>Chuyển hướng (redirect) bị coi là gửi hỏng.</strong> <code>410</code> tắt webhook, và năm ngày liền chỉ gửi hỏng cũng vậy.`,
    })}</li>
    <li>${say({
      en: html`<strong>Nothing is lost</strong> while events are kept, 30 days by default: <code>POST ${CREATE_PATH}/{id}/replay</code> sends one or those of a time again, and <code>GET /api/v1/partner/event</code> has every event, also without a webhook.`,
      vi: html`<strong>Không mất gì</strong> trong thời gian lưu sự kiện, mặc định 30 ngày: <code>POST ${CREATE_PATH}/{id}/replay</code> gửi lại một sự kiện hoặc các sự kiện của một khoảng thời gian, và <code>GET /api/v1/partner/event</code> có mọi sự kiện để đối soát, kể cả khi không có webhook.`,
    })}</li>
    <li>${say({
      en: html`<strong>Change the secret without a gap</strong> by <code>POST ${CREATE_PATH}/{id}/rotate</code>: for 24 hours each delivery has both signatures, and the receiver above accepts either.`,
      vi: html`<strong>Đổi khoá bí mật không gián đoạn</strong> bằng <code>POST ${CREATE_PATH}/{id}/rotate</code>: trong 24 giờ mỗi lượt gửi có cả hai chữ ký, và chương trình nhận ở trên chấp nhận chữ ký nào cũng được.`,
    })}</li>
  </ul>
</section>`
}

/** Opens the section of a step. The caller closes it. */
export const heading = (say: Say, { name, number, title }: NumberedStep) =>
  html`<section class="step" id="${name}" aria-labelledby="${name}-title">
  <h2 id="${name}-title"><span class="step-number" aria-hidden="true">${number}</span>${say(title)}</h2>`
